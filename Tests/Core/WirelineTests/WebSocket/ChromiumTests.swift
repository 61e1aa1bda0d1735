// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// A server of ours, and a page in a browser that connects to it.
@Suite(.enabled(if: ChromiumTool.isWanted, Comment(rawValue: ChromiumTool.absence)), .aside)
struct ChromiumTests {
    @Test(arguments: [nil, WebSocketDeflate()])
    func `a page sends and receives, is refused and closed, and learns why`(deflate: WebSocketDeflate?) async throws {
        let reports = Seen<WebSocketMessage?>()
        let ends = Seen<WebSocketEnd?>()
        let configuration = WebSocketServerConfiguration.patient {
            $0.handshake.deflate = deflate
            // The origin of a page from a file.
            $0.handshake.origins = .any
        }
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, on: ConnectionPair.group.get(), configuration: configuration
        ) { request in
            if request.path == "/refused" { return .refuse(status: 403) }
            return .accept(subprotocol: request.subprotocols.contains("live.v2") ? "live.v2" : nil)
        } handler: { client in
            switch client.request.path {
            case "/report": reports.add(try await client.receive())
            case "/closed": try await client.close(code: .serviceRestart, reason: "später")
            default:
                for try await message in client.messages { try await client.send(message) }
                ends.add(await client.end)
            }
        }
        let report = try await ChromiumTool.show(
            Self.page(server.url("")), ended: { reports.add(nil) }, while: { await reports.first(1)[0] })
        let expected = """
            subprotocol live.v2, compressed \(deflate != nil)
            equal: 32 of 32
            closed 4001  true
            closed 1012 später true
            error
            closed 1006  false
            """
        // The answer to a close has only its code.
        #expect(report == .text(expected))
        let end = try #require(await ends.first(1)[0])
        #expect(end.cause == .closedByPeer)
        #expect(end.received?.code == WebSocketCloseCode(rawValue: 4_001))
        #expect(end.received?.reason == "bye")
        await server.shutDown()
    }

    /// A page that sends its results at the end.
    private static func page(_ url: String) -> String {
        """
        <!DOCTYPE html><meta charset="utf-8"><script>
        const url = "\(url)", lines = [];
        const event = (socket, name) => new Promise((resolve) => socket.addEventListener(name, resolve, { once: true }));
        const closed = (event) => lines.push(`closed ${event.code} ${event.reason} ${event.wasClean}`);
        const same = (sent, got) => typeof sent === "string" ? sent === got
            : got instanceof ArrayBuffer && got.byteLength === sent.length
                && new Uint8Array(got).every((byte, index) => byte === sent[index]);

        async function run() {
            const socket = new WebSocket(url + "/echo", ["chat", "live.v2"]);
            socket.binaryType = "arraybuffer";
            await event(socket, "open");
            const isCompressed = socket.extensions.startsWith("permessage-deflate");
            lines.push(`subprotocol ${socket.protocol}, compressed ${isCompressed}`);
            const messages = ["Grüße, 世界 🎮", "\\u0000"];
            for (const count of [0, 1, 125, 126, 65535, 65536, 1000000]) {
                messages.push("x".repeat(count), Uint8Array.from({ length: count }, (_, index) => index * index));
            }
            const echoes = [];
            const all = new Promise((resolve) => socket.onmessage = (event) => {
                if (echoes.push(event.data) === 2 * messages.length) resolve();
            });
            // All at once, and twice: what was compressed once may be referred to.
            for (const message of [...messages, ...messages]) socket.send(message);
            await all;
            const equal = echoes.filter((echo, index) => same(messages[index % messages.length], echo));
            lines.push(`equal: ${equal.length} of ${echoes.length}`);
            socket.close(4001, "bye");
            closed(await event(socket, "close"));
            closed(await event(new WebSocket(url + "/closed"), "close"));
            const refused = new WebSocket(url + "/refused");
            refused.onerror = () => lines.push("error");
            closed(await event(refused, "close"));
        }

        run().catch((error) => lines.push("thrown: " + error)).then(async () => {
            const report = new WebSocket(url + "/report");
            await event(report, "open");
            report.send(lines.join("\\n"));
        });
        </script>
        """
    }
}
