// SPDX-License-Identifier: Apache-2.0

import Scene
import Wireline
import WirelineCodec
import WirelineSchema

extension Command {
    /// `wire demo`
    static let demo = Command(
        name: "demo",
        summary: "show the scene messages as values and as bytes, then merged and split on a TCP connection",
        parameters: [],
        options: [],
        example: "wire demo",
        run: { _, console throws(CommandError) in
            let demo = try Demo(console)
            try demo.show(Demo.requests[0], from: .client)
            try demo.show(Demo.replies[0], from: .server)
            // Output to a pipe shows this much before the sockets are used.
            try console.flush()
            let connection = try await demo.connect()
            try console.print("Over TCP to \(connection.address), glued and torn, and put together again:\n")
            try await demo.tear(Demo.requests, from: .client, over: connection)
            try await demo.tear(Demo.replies, from: .server, over: connection)
            await connection.close()
        })
}

/// The demo's scene messages, in memory and between a client and a server.
private struct Demo {
    static let requests = [
        Cs_20001(sceneID: 7, line: 2, message: "你好"),
        Cs_20001(sceneID: 255, line: .max, message: ""),
        Cs_20001(sceneID: 0, line: 0, message: "three packets, one stream"),
    ]
    static let replies = [
        Sc_20001(res: 1, sceneID: 7, pos: 3, status: 10, type: 0, defaultCombat: 98_000, message: "欢迎"),
        Sc_20001(res: 0, sceneID: 0, pos: 0, status: 0, type: 0, defaultCombat: 0, message: ""),
        Sc_20001(res: 13, sceneID: 7, pos: 255, status: 0, type: 1, defaultCombat: .max, message: "too soon"),
    ]

    let console: Console
    private let translator: PacketTranslator
    private let style = TextStyle(of: System.Descriptor.standardOutput)

    init(_ console: Console) throws(CommandError) {
        self.console = console
        let file = SourceFile(path: "scene.wire", bytes: Array(sceneSchema.utf8))
        guard let description = ProtocolDescription.check(name: SceneProtocol.protocolName, files: [file]).description
        else { throw .failure("the demo's own schema is wrong") }
        translator = PacketTranslator(description)
    }

    // MARK: One packet

    /// Shows a message as the generated code and the schema read it; both must agree.
    func show(_ message: some PacketMessage, from sender: Sender) throws(CommandError) {
        let packet = try attempt { () throws(CodecError) in try message.encoded() }
        let title = "\(style.strong(name(of: message))), \(sender) to \(sender.peer), \(packet.count) bytes"
        let annotation = try attempt { () throws(CodecError) in
            try translator.annotate(packet.rawSpan, preferring: sender)
        }
        let json = try attempt { () throws(CodecError) in try translator.decode(packet.rawSpan, from: sender) }
        let encoded = try attempt { () throws(TranslationError) in try translator.encode(line: json) }
        try require(encoded == packet, "the schema's bytes of \(name(of: message)) are the generated code's")
        try console.print(title + "\n")
        try console.print("    Swift  \(message)\n    JSON   \(json["fields"] ?? .null)\n")
        for line in AnnotatedBytes(annotation: annotation, bytes: packet).lines(style: style) {
            try console.print("    " + line)
        }
        try console.print("")
    }

    // MARK: Many packets

    func connect() async throws(CommandError) -> DemoConnection {
        do throws(ConnectionError) {
            return try await DemoConnection()
        } catch {
            throw .failure("the demo failed: \(error)")
        }
    }

    /// Merges packets into one write, splits them in two at every offset, and then into single bytes.
    func tear<Message: PacketMessage & Equatable>(
        _ messages: [Message], from sender: Sender, over connection: DemoConnection
    ) async throws(CommandError) {
        var stream: [UInt8] = []
        for message in messages { stream += try attempt { () throws(CodecError) in try message.encoded() } }
        try await exchange(messages, as: [stream], from: sender, over: connection)
        for cut in 1..<stream.count {
            let pieces = [Array(stream[..<cut]), Array(stream[cut...])]
            try await exchange(messages, as: pieces, from: sender, over: connection)
        }
        try await exchange(messages, as: stream.map { [$0] }, from: sender, over: connection)
        let title = "\(sender) to \(sender.peer)"
        let packets = "\(messages.count) packets"
        try console.print("    \(title): glued: 1 write of \(stream.count) bytes, \(packets), all equal")
        try console.print(
            "    \(title): torn in two at every place: \(stream.count - 1) cuts, \(packets) each, all equal")
        try console.print("    \(title): byte by byte: \(stream.count) writes, \(packets), all equal")
    }

    /// Sends messages in these pieces, and checks that they arrive unchanged.
    private func exchange<Message: PacketMessage & Equatable>(
        _ messages: [Message], as pieces: [[UInt8]], from sender: Sender, over connection: DemoConnection
    ) async throws(CommandError) {
        let received: [Message]
        do throws(ConnectionError) {
            received = try await connection.send(pieces, from: sender, receiving: messages.count, Message.self)
        } catch {
            throw .failure("the demo failed: \(error)")
        }
        let writes = pieces.map { String($0.count) }.joined(separator: ", ")
        try require(received == messages, "the packets sent in writes of \(writes) bytes arrive as they were")
    }

    // MARK: Checks

    private func name<Message: PacketMessage>(of message: Message) -> String { Message.messageName }

    private func attempt<Result, Failure>(
        _ work: () throws(Failure) -> Result
    ) throws(CommandError) -> Result {
        do throws(Failure) {
            return try work()
        } catch {
            throw .failure("the demo failed: \(error)")
        }
    }

    private func require(_ holds: Bool, _ claim: String) throws(CommandError) {
        guard holds else { throw .failure("the demo failed; it should be so that \(claim)") }
    }
}
