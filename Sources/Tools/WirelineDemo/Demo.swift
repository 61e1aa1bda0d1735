// SPDX-License-Identifier: Apache-2.0

package import Scene
import Wireline
package import WirelineCodec

/// What `swift run demo` and `wire demo` show: the scene messages as bytes, and merged and split on a TCP connection.
package enum Demo {
    package static let requests = [
        Cs_20001(sceneID: 7, line: 2, message: "你好"),
        Cs_20001(sceneID: 255, line: .max, message: ""),
        Cs_20001(sceneID: 0, line: 0, message: "three packets, one stream"),
    ]
    package static let replies = [
        Sc_20001(res: 1, sceneID: 7, pos: 3, status: 10, type: 0, defaultCombat: 98_000, message: "欢迎"),
        Sc_20001(res: 0, sceneID: 0, pos: 0, status: 0, type: 0, defaultCombat: 0, message: ""),
        Sc_20001(res: 13, sceneID: 7, pos: 255, status: 0, type: 1, defaultCombat: .max, message: "too soon"),
    ]

    /// Returns the name, the sender and the size of a message's packet.
    package static func title<Message: PacketMessage>(
        of packet: [UInt8], with message: Message, from sender: Sender
    ) -> String {
        "\(Message.messageName), \(sender) to \(sender.peer), \(packet.count) bytes"
    }

    /// Sends messages merged into one write, split in two at every offset, and byte by byte.
    ///
    /// - Returns: A line for each of the three ways.
    /// - Throws: ``DemoError`` if what arrives is not what was sent, or the connection fails.
    package static func tear<Message: PacketMessage & Equatable>(
        _ messages: [Message], from sender: Sender, over connection: DemoConnection
    ) async throws(DemoError) -> [String] {
        var stream: [UInt8] = []
        for message in messages {
            stream += try await DemoError.attempt { () throws(CodecError) in try message.encoded() }
        }
        try await exchange(messages, as: [stream], from: sender, over: connection)
        for cut in 1..<stream.count {
            let pieces = [Array(stream[..<cut]), Array(stream[cut...])]
            try await exchange(messages, as: pieces, from: sender, over: connection)
        }
        try await exchange(messages, as: stream.map { [$0] }, from: sender, over: connection)
        let (title, packets) = ("\(sender) to \(sender.peer)", "\(messages.count) packets")
        return [
            "\(title): glued: 1 write of \(stream.count) bytes, \(packets), all equal",
            "\(title): torn in two at every place: \(stream.count - 1) cuts, \(packets) each, all equal",
            "\(title): byte by byte: \(stream.count) writes, \(packets), all equal",
        ]
    }

    /// Sends messages in these pieces, and checks that they arrive unchanged.
    private static func exchange<Message: PacketMessage & Equatable>(
        _ messages: [Message], as pieces: [[UInt8]], from sender: Sender, over connection: DemoConnection
    ) async throws(DemoError) {
        let received = try await DemoError.attempt { () throws(ConnectionError) in
            try await connection.send(pieces, from: sender, receiving: messages.count, Message.self)
        }
        guard received == messages else {
            let writes = pieces.map { String($0.count) }.joined(separator: ", ")
            throw DemoError("the packets sent in writes of \(writes) bytes do not arrive as they were")
        }
    }
}

/// Why the demo stopped.
package struct DemoError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// Does some work whose own error becomes this one.
    package static func attempt<Result, Failure>(
        _ work: () async throws(Failure) -> Result
    ) async throws(DemoError) -> Result {
        do throws(Failure) {
            return try await work()
        } catch {
            throw DemoError("\(error)")
        }
    }
}
