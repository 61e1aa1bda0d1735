// SPDX-License-Identifier: Apache-2.0

import Scene
import Wireline
import WirelineCodec
import WirelineDemo
import WirelineSchema

extension Command {
    static let demo = Command(
        name: "demo",
        summary: "show the scene messages as values and as bytes, then merged and split on a TCP connection",
        parameters: [],
        options: [],
        example: "wire demo",
        run: { _, console throws(CommandError) in
            let described = try DescribedDemo(console)
            try described.show(Demo.requests[0], from: .client)
            try described.show(Demo.replies[0], from: .server)
            // If standard output is a pipe, its reader gets the output so far before the demo opens sockets.
            try console.flush()
            let connection = try await attempt { () throws(ConnectionError) in try await DemoConnection() }
            try console.print(lines: "Over TCP to \(connection.address), glued and torn, and put together again:\n")
            let lines = try await attempt { () throws(DemoError) in
                try await Demo.tear(Demo.requests, from: .client, over: connection)
                    + Demo.tear(Demo.replies, from: .server, over: connection)
            }
            for line in lines { try console.print(styled: "    " + line) }
            await connection.close()
        })

    /// Runs a part of the demo, and converts its error.
    private static func attempt<Result, Failure>(
        _ work: () async throws(Failure) -> Result
    ) async throws(CommandError) -> Result {
        do throws(Failure) {
            return try await work()
        } catch {
            throw .failure("the demo failed: \(error)")
        }
    }
}

/// Prints the demo's messages as the schema describes them.
private struct DescribedDemo {
    private let console: Console
    private let translator: PacketTranslator
    private let style = TextStyle(of: System.Descriptor.standardOutput)

    init(_ console: Console) throws(CommandError) {
        self.console = console
        let file = SourceFile(path: "scene.wire", bytes: Array(sceneSchema.utf8))
        guard let description = ProtocolDescription.check(name: SceneProtocol.protocolName, files: [file]).description
        else { throw .failure("the demo's own schema is wrong") }
        translator = PacketTranslator(description)
    }

    /// The generated code and the schema must produce the same bytes.
    func show<Message: PacketMessage>(_ message: Message, from sender: Sender) throws(CommandError) {
        let (packet, annotation, json): ([UInt8], PacketAnnotation, JSONValue)
        do {
            packet = try message.encoded()
            annotation = try translator.annotate(packet.rawSpan, preferring: sender)
            json = try translator.decode(packet.rawSpan, from: sender)
            guard try translator.encode(line: json) == packet else {
                throw DemoError("the schema's bytes of \(Message.messageName) are not the generated code's")
            }
        } catch {
            throw .failure("the demo failed: \(error)")
        }
        try console.print(
            styled: style.strong(Message.messageName)
                + Demo.title(of: packet, with: message, from: sender)
                .dropFirst(Message.messageName.count) + "\n")
        try console.print(lines: "    Swift  \(message)\n    JSON   \(json["fields"] ?? .null)\n")
        for line in AnnotatedBytes(annotation: annotation, bytes: packet).lines(style: style) {
            try console.print(styled: "    " + line)
        }
        try console.print("")
    }
}
