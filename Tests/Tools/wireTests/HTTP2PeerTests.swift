// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The schema in `Protocols/HTTP2` against Node's client, and the servers of Node and nginx, which `wire proxy` watches.
///
/// Node sends frames of every kind, also padded ones, through nghttp2.
@Suite(.enabled(if: Peers.isWanted("node"), "Node is not on the PATH: install nodejs"), .aside)
struct HTTP2PeerTests {
    private static let schema = Checkout.url("Protocols/HTTP2").path

    /// Posts to each path of its arguments, one after the other, and prints what it gets.
    private static let client = """
        const http2 = require("http2"), [port, ...paths] = process.argv.slice(2);
        const options = { paddingStrategy: http2.constants.PADDING_STRATEGY_MAX, maxSendHeaderBlockLength: 100000 };
        const client = http2.connect("http://127.0.0.1:" + port, options);
        client.on("error", () => {}).on("stream", pushed => pushed.resume());
        const post = path => new Promise(done => {
            const extra = path === "/long" ? { long: "v".repeat(30000) } : {};
            const headers = { ":path": path, ":method": "POST", ...extra };
            const request = client.request(headers, { weight: 7, exclusive: true });
            let status = "no answer", length = 0;
            request.on("response", headers => status = headers[":status"]);
            request.on("data", data => length += data.length).on("error", () => {});
            request.on("close", () => { console.log(path, status, length, request.rstCode); done(); });
            request.end("x".repeat(20000));
        });
        client.on("connect", async () => {
            await new Promise(done => client.ping(Buffer.from("wireline"), done));
            for (const path of paths) await post(path);
            process.exit();
        });
        """

    private static let server = """
        const http2 = require("http2");
        const options = { paddingStrategy: http2.constants.PADDING_STRATEGY_MAX, maxSendHeaderBlockLength: 100000 };
        const server = http2.createServer(options);
        const headers = { ":status": 200 };
        server.on("stream", (stream, { ":path": path }) => {
            if (path === "/reset") return stream.on("error", () => {}).close(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
            stream.resume().on("end", () => {
                const push = (_, pushed) => pushed.respond(headers, { endStream: true });
                if (path === "/push") stream.pushStream({ ":path": "/pushed" }, push);
                stream.respond(path === "/long" ? { ...headers, long: "l".repeat(30000) } : headers);
                stream.end(path === "/long" ? "y".repeat(40000) : "short");
                if (path === "/last") stream.session.goaway(0, 0, Buffer.from("enough"));
            });
        });
        server.listen(0, "127.0.0.1", () => console.log("port " + server.address().port));
        """

    /// Returns what the client prints, and the proxy's lines about packets, without times and connections.
    private func watch(
        _ paths: String, of server: PeerProcess, in workspace: Workspace
    ) throws -> (answers: [Substring], packets: [Substring]) {
        try workspace.write(Self.client, to: "client.js")
        let proxy = try ServingTool(
            running: [
                "proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:\(server.port)", "--protocol", Self.schema,
            ])
        let client = workspace.process(shell: "exec node client.js \(proxy.port) \(paths)")
        let answers = Pipe()
        client.standardOutput = answers
        try client.runWatched()
        // What the proxy prints is read at once, because it is more than a pipe holds.
        var (text, line) = ("", "")
        repeat {
            line = try #require(proxy.nextLine()).replacing("\"", with: "")
            text += line + "\n"
        } while !line.contains(" client: ") || line.contains("{")
        let answer = String(decoding: answers.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        client.waitUntilExit()
        let ending = proxy.end()
        #expect(client.terminationStatus == 0 && ending.status == 0 && ending.errors.isEmpty, "\(ending.errors)")
        return (answer.split(separator: "\n"), text.matches(of: /(client|server): [^\n{]*{.*/).map(\.0))
    }

    @Test func `each frame between two Nodes has its name, whatever its padding`() throws {
        let workspace = try Workspace(["server.js": Self.server])
        let server = try PeerProcess("node server.js", in: workspace)
        let (answers, packets) = try watch("/ /long /push /reset /last", of: server, in: workspace)
        #expect(
            answers == ["/ 200 5 0", "/long 200 40000 0", "/push 200 5 0", "/reset no answer 0 11", "/last 200 5 0"])
        #expect(packets.filter { $0.contains("unknown") } == [])
        for (start, part) in [
            ("client: Settings {preface: PRI * HTTP/2.0, ", "stream: 0}"), ("server: ServerSettings {", "stream: 0}"),
            ("client: Ping {", "data: "), ("client: Headers {", "padding: 255, dependency.exclusive: true, "),
            ("client: Headers {", "dependency.stream: 0, dependency.weight: 6, fragment: "),
            ("client: Continuation {", "fragment: "), ("client: Data {", "padding: "),
            ("server: Headers {", "padding: 255, fragment: "), ("server: Continuation {", "fragment: "),
            ("server: Data {", "padding: 255, data: "), ("server: WindowUpdate {", "increment: "),
            ("server: PushPromise {", "padding: 255, promised_stream: 2, "),
            ("server: ResetStream {", "error: enhance_your_calm"), ("server: GoAway {", "error: no_error, debug: "),
        ] {
            #expect(packets.contains { $0.hasPrefix(start) && $0.contains(part) }, "\(start)…\(part) in \(packets)")
        }
    }

    @Test(.enabled(if: Peers.isWanted("nginx"), "nginx is not on the PATH: install nginx"))
    func `each frame between Node and nginx has its name`() async throws {
        let workspace = try Workspace([:])
        let server = try await PeerProcess.onFreePort { port in
            let start = "daemon off; master_process off; error_log stderr notice; pid n.pid; events {}\n"
            let location = "location / { return 200 hello; }"
            try workspace.write(
                start + "http { access_log off; server { listen 127.0.0.1:\(port) http2; \(location) } }", to: "n.conf")
            return try PeerProcess("nginx -p . -e stderr -c n.conf", in: workspace, port: port, announcing: "getrlimit")
        }
        let (answers, packets) = try watch("/ /", of: server, in: workspace)
        #expect(answers == ["/ 200 5 0", "/ 200 5 0"])
        #expect(packets.filter { $0.contains("unknown") } == [])
        #expect(packets.contains { $0.hasPrefix("server: ServerSettings {") && $0.contains("max_frame_size") })
        #expect(packets.contains { $0.hasPrefix("server: Headers {") && $0.contains("fragment: ") })
    }
}
