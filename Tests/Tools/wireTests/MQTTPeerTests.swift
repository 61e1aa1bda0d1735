// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The schema in `Protocols/MQTT` against a real broker and its clients, which `wire proxy` watches.
///
/// A test that waits for a packet waits for the proxy's line about it.
@Suite(
    .aside,
    .enabled(
        if: ["mosquitto", "mosquitto_pub", "mosquitto_sub"].allSatisfy(Peers.isWanted),
        "mosquitto or its clients are not on the PATH: install mosquitto and mosquitto-clients"))
struct MQTTPeerTests {
    private let workspace: Workspace
    private let broker: PeerProcess
    private let proxy: ServingTool

    init() async throws {
        let workspace = try Workspace([:])
        self.workspace = workspace
        broker = try await PeerProcess.onFreePort { port in
            try workspace.write("listener \(port) 127.0.0.1\nallow_anonymous true\nuser root\n", to: "broker.conf")
            return try PeerProcess("mosquitto -c broker.conf", in: workspace, port: port, announcing: " running")
        }
        proxy = try ServingTool(
            running: [
                "proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:\(broker.port)", "--protocol", Self.schema,
            ])
    }

    private static let schema = Checkout.url("Protocols/MQTT").path

    // MARK: Clients

    /// A client of the broker that is running; it ends with the value.
    private final class Client {
        let process: Process
        private let output = Pipe()

        init(_ line: String, in workspace: Workspace) throws {
            process = workspace.process(shell: "exec " + line)
            process.standardOutput = output
            try process.runWatched()
        }

        /// What it has printed, after it has ended.
        func lines() -> [String] {
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return text.split(separator: "\n").map(String.init)
        }

        /// Ends it as a crash would.
        func kill() {
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        deinit { if process.isRunning { kill() } }
    }

    /// Starts a subscriber, and returns after the broker has accepted its subscriptions.
    private func subscribe(_ words: String, _ log: inout [String]) throws -> Client {
        let client = try Client("mosquitto_sub -h 127.0.0.1 -p \(proxy.port) \(words)", in: workspace)
        try wait(for: "server: Suback ", &log)
        return client
    }

    private func publish(_ words: String) throws {
        let outcome = try workspace.shell("mosquitto_pub -h 127.0.0.1 -p \(proxy.port) \(words)")
        #expect(outcome == .success(""))
    }

    /// Reads the proxy's lines up to one about such a packet.
    private func wait(for packet: String, _ log: inout [String]) throws {
        repeat {
            log.append(Self.plain(try #require(proxy.nextLine())))
        } while !log[log.count - 1].hasPrefix(packet)
    }

    /// Ends the proxy, and returns all that it has printed: each packet must be a message of the schema.
    private func packets(_ log: [String]) -> [String] {
        let ending = proxy.end()
        #expect(ending.status == 0 && ending.errors.isEmpty, "\(ending)")
        let lines = log + ending.output.split(separator: "\n").map { Self.plain(String($0)) }
        // A client that is killed before it has read everything resets its connection.
        let packets = lines.filter { line in
            !line.hasPrefix("connected to ") && !line.hasSuffix(": ended")
                && line != "client: the peer has reset the connection"
        }
        for packet in packets {
            #expect(packet.wholeMatch(of: #/(client|server): [A-Z][a-z]+ \{type: \d+, .*\}.*/#) != nil, "\(packet)")
        }
        return packets
    }

    /// A line without its time, the number of its connection, and quotes.
    private static func plain(_ line: String) -> String {
        line.replacing(#/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z #\d+ /#, with: "").replacing("\"", with: "")
    }

    // MARK: Tests

    @Test func `messages of each quality of service are delivered, and all their packets are known`() throws {
        var log: [String] = []
        let subscriber = try subscribe("-i reader -q 2 -t room -t 'other/#' -v -C 3", &log)
        for quality in 0...2 {
            try publish("-i writer\(quality) -q \(quality) -t room -m 'message \(quality)'")
        }
        #expect(subscriber.lines() == ["room message 0", "room message 1", "room message 2"])
        let packets = packets(log)
        let filters = "topics[0].qos: exactly_once, topics[1].filter: other/#"
        for (start, end) in [
            ("client: Connect {type: 1, dup: false, qos: at_most_once, retain: false, ", "clientID: reader"),
            ("server: Connack ", "sessionPresent: false, code: accepted"),
            ("client: Subscribe {type: 8, dup: false, qos: at_least_once, ", filters),
            ("server: Suback ", "codes[0]: exactly_once, codes[1]: exactly_once"),
            ("client: Publish {type: 3, dup: false, qos: at_most_once, ", "} topic: room, payload: "),
            ("client: Publish {type: 3, dup: false, qos: at_least_once, ", "} topic: room, packetID: 1, payload: "),
            ("server: Puback ", "packetID: 1"),
            ("client: Publish {type: 3, dup: false, qos: exactly_once, ", "} topic: room, packetID: 1, payload: "),
            ("server: Pubrec ", "packetID: 1"),
            ("client: Pubrel {type: 6, dup: false, qos: at_least_once, ", "packetID: 1"),
            ("server: Pubcomp ", "packetID: 1"),
            ("server: Publish {type: 3, dup: false, qos: exactly_once, ", "packetID: "),
            ("client: Pubrec ", "packetID: "), ("server: Pubrel ", "packetID: "), ("client: Pubcomp ", "packetID: "),
            ("client: Disconnect ", "remaining: 0}"),
        ] {
            #expect(packets.contains { $0.hasPrefix(start) && $0.contains(end) }, "\(start)…\(end) in \(packets)")
        }
    }

    @Test func `a retained message is delivered later, and taken back by an empty one`() throws {
        var log: [String] = []
        try publish("-q 1 -r -t kept -m still")
        let first = try subscribe("-q 1 -t kept -v -C 1", &log)
        #expect(first.lines() == ["kept still"])
        try publish("-r -n -t kept")
        let second = try subscribe("-q 1 -t kept -t end -v -C 1", &log)
        try publish("-t end -m nothing")
        #expect(second.lines() == ["end nothing"])
        let packets = packets(log)
        let retained = "server: Publish {type: 3, dup: false, qos: at_least_once, retain: true, "
        #expect(packets.count { $0.hasPrefix(retained) } == 1)
        #expect(
            packets.contains { $0.hasPrefix("client: Publish ") && $0.contains("qos: at_most_once, retain: true, ") })
    }

    @Test func `the will of a client that is killed is delivered`() throws {
        var log: [String] = []
        let heir = try subscribe("-q 1 -t wills -v -C 1", &log)
        let will = "--will-topic wills --will-payload gone --will-qos 1 --will-retain"
        let victim = try subscribe("-i victim -u user -P secret -t nothing \(will)", &log)
        victim.kill()
        #expect(heir.lines() == ["wills gone"])
        let packets = packets(log)
        let flags = "hasUserName: true, hasPassword: true, willRetain: true, willQoS: at_least_once, hasWill: true, "
        let connect = try #require(packets.first { $0.contains("victim") })
        #expect(connect.contains(flags + "cleanSession: true"), "\(connect)")
        #expect(connect.contains("willTopic: wills, willMessage: ") && connect.contains("userName: user"))
        #expect(connect.hasSuffix("password: (hidden)"))
        #expect(packets.contains { $0.hasPrefix("server: Publish ") && $0.contains("topic: wills, packetID: 1") })
    }

    @Test func `wire call subscribes, publishes with an acknowledgement, and gets its own message`() throws {
        let requests = [
            #"{"message":"Connect","fields":{"protocolName":"MQTT","protocolLevel":4,"hasUserName":false,"#
                + #""hasPassword":false,"willRetain":false,"willQoS":"at_most_once","hasWill":false,"#
                + #""cleanSession":true,"keepAlive":0,"clientID":"call"}}"#,
            #"{"message":"Subscribe","fields":{"packetID":7,"topics":[{"filter":"room","qos":"at_least_once"}]}}"#,
            #"{"message":"Publish","header":{"qos":"at_least_once"},"#
                + #""fields":{"topic":"room","packetID":9,"payload":"aGk="}}"#,
            #"{"message":"Puback","fields":{"packetID":1}}"#, #"{"message":"Pingreq","fields":{}}"#,
        ]
        let outcome = try workspace.shell(
            "wire call \(proxy.address) --protocol '\(Self.schema)' --timeout 20m",
            input: Data(requests.map { $0 + "\n" }.joined().utf8))
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        func line(_ message: String, _ type: Int, _ qos: String, _ remaining: Int, _ fields: String) -> String {
            #"{"message":"\#(message)","id":\#(type),"header":{"type":\#(type),"dup":false,"qos":"\#(qos)","#
                + #""retain":false,"remaining":\#(remaining)},"fields":{\#(fields)}}"#
        }
        let lines = outcome.output.split(separator: "\n").map(String.init)
        // The broker may acknowledge the message before it delivers it, or after.
        #expect(
            Set(lines) == [
                line("Connack", 2, "at_most_once", 2, #""sessionPresent":false,"code":"accepted""#),
                line("Suback", 9, "at_most_once", 3, #""packetID":7,"codes":["at_least_once"]"#),
                line("Publish", 3, "at_least_once", 10, #""topic":"room","packetID":1,"payload":"aGk=""#),
                line("Puback", 4, "at_most_once", 2, #""packetID":9"#), line("Pingresp", 13, "at_most_once", 0, ""),
            ])
        #expect(lines.count == 5 && lines.last == line("Pingresp", 13, "at_most_once", 0, ""))
        #expect(packets([]).count == 10)
    }
}
