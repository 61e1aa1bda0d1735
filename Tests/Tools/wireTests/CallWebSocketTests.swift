// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineWebSocket

/// `wire call` over a WebSocket, with a subprotocol and headers.
@Suite(.aside)
struct CallWebSocketTests {
    @Test func `subprotocols and headers are in the request`() async throws {
        let requests = Seen<[String?]>()
        var configuration = ServerConfiguration()
        configuration.webSocket = ServerConfiguration.WebSocketOptions(paths: ["/sub"]) { request in
            requests.add(request.subprotocols + [request.headers["X-Room"], request.headers["Authorization"]])
            return .accept(subprotocol: request.subprotocols.last)
        }
        let peer = try await PacketListener.start(
            at: "127.0.0.1", port: 0, layout: .standard, packetLimit: 1 << 20, configuration: configuration,
            handler: .task { listener, connection in
                Task(executorPreference: connection.loop) {
                    listener.taskBegins(connection)
                    if (try? await connection.next()) != nil { await connection.sendRaw(CallCommandTests.reply) }
                    _ = try? await connection.next()
                    listener.taskEnds(connection, nil)
                }
            })
        let options =
            "--subprotocol one --subprotocol two --websocket-header 'X-Room: 7' "
            + "--websocket-header 'Authorization:Bearer a:b'"
        let outcome = try Workspace().shell(
            "wire call \(peer.address) Cs_20001 '\(packetFields)' --timeout 20m --websocket /sub \(options)")
        await peer.shutDown(within: .seconds(60))
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(await requests.first(1) == [["one", "two", "7", "Bearer a:b"]])
    }

    @Test(arguments: [
        ("'X Room: 7'", #"the header "X Room" has a name or a value that HTTP does not allow"#),
        ("'Upgrade: h2c'", #"the header "Upgrade" is the handshake's own"#),
    ])
    func `a header that cannot be sent is an error`(_ header: String, _ error: String) async throws {
        let peer = try await rawPeer { _, _ in [] }
        let outcome = try Workspace().shell(
            "wire call \(peer.address) Cs_20001 '\(packetFields)' --websocket / --websocket-header \(header)")
        let errors = "error: cannot connect to \(peer.address): \(error)\n"
        #expect(outcome == Outcome(status: 1, output: "", errors: errors))
        await peer.close()
    }

    @Test(.enabled(if: Peers.isWanted("mosquitto"), "mosquitto is not on the PATH: install mosquitto"))
    func `an MQTT broker replies over a WebSocket with its subprotocol`() async throws {
        let schema = Checkout.url("Protocols/MQTT").path
        let workspace = try Workspace()
        let broker = try await broker(in: workspace)
        let requests = [
            #"Connect '{"protocolName":"MQTT","protocolLevel":4,"hasUserName":false,"hasPassword":false,"#
                + #""willRetain":false,"willQoS":0,"hasWill":false,"cleanSession":true,"keepAlive":0,"clientID":"a"}'"#,
            #"Subscribe '{"packetID":1,"topics":[{"filter":"room","qos":0}]}'"#,
            #"Publish '{"topic":"room","payload":"aGk="}' Pingreq"#,
        ]
        let outcome = try workspace.shell(
            "wire call 127.0.0.1:\(broker.port) --protocol '\(schema)' --websocket / --subprotocol mqtt --timeout 20m "
                + requests.joined(separator: " "))
        let lines = [
            #"{"message":"Connack","id":2,"header":{"type":2,"dup":false,"qos":"at_most_once","retain":false,"#
                + #""remaining":2},"fields":{"sessionPresent":false,"code":"accepted"}}"#,
            #"{"message":"Suback","id":9,"header":{"type":9,"dup":false,"qos":"at_most_once","retain":false,"#
                + #""remaining":3},"fields":{"packetID":1,"codes":["at_most_once"]}}"#,
            #"{"message":"Publish","id":3,"header":{"type":3,"dup":false,"qos":"at_most_once","retain":false,"#
                + #""remaining":8},"fields":{"topic":"room","payload":"aGk="}}"#,
            #"{"message":"Pingresp","id":13,"header":{"type":13,"dup":false,"qos":"at_most_once","retain":false,"#
                + #""remaining":0},"fields":{}}"#,
        ]
        #expect(outcome == .success(lines.map { $0 + "\n" }.joined()))
    }

    private func broker(in workspace: Workspace) async throws -> PeerProcess {
        try await PeerProcess.onFreePort { port in
            // With a WebSocket as its only listener, it does not start.
            let socket = workspace.folder.appending(path: "broker\(port)").path
            try workspace.write(
                """
                user root
                allow_anonymous true
                listener 0 \(socket)
                listener \(port) lo
                protocol websockets
                socket_domain ipv4

                """, to: "broker.conf")
            return try PeerProcess("mosquitto -c broker.conf", in: workspace, port: port, announcing: "running")
        }
    }
}
