// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Packets that travel to Erlang and back, and from Erlang and back: equal bytes, equal values.
@Suite(.enabled(if: ErlangInterpreter.isWanted, "\(ErlangInterpreter.absence)"), .amongAll)
struct ErlangTests {
    /// The number of packets for each protocol and direction.
    static let messageCount = Depth.rounds(100)
    static let folders: [(folder: String, module: String)] = [
        ("Scene", "scene"), ("QSIOP", "qsiop"), ("TwoByteHeader", "two_byte_header"), ("Telemetry", "telemetry"),
    ]

    @Test(arguments: folders)
    func `Erlang reads what Swift writes, and writes the same bytes`(folder: String, module: String) throws {
        let random = SeededGenerator.forThisRun()
        let packets = try Self.randomPackets(of: ProtocolFolder.named(folder), using: random)
        let answers = try ErlangScript.peer.run(["echo", module], input: packets.map(\.frame))
        #expect(answers.count == 2 * packets.count, random.seedComment)
        let failures = zip(packets, answers.pairs).filter { packet, answer in
            packet.again != packet.bytes || packet.frame != answer.0 || !isSame(packet.line, answer.1)
        }
        #expect(failures.map { $0.0.description(with: $0.1) }.prefix(3) == [], random.seedComment)
    }

    @Test(arguments: folders)
    func `Swift reads what Erlang writes, and writes the same bytes`(folder: String, module: String) throws {
        let random = SeededGenerator.forThisRun()
        let folder = try ProtocolFolder.named(folder)
        let seed = random.seed % 1_000_000_007
        let made = try ErlangScript.peer.run(["make", module, "\(Self.messageCount)", "\(seed)"])
        #expect(made.count == 2 * Self.messageCount, random.seedComment)
        let failures = try made.pairs.filter { try !Self.agrees(folder, $0.0, $0.1) }
        #expect(failures.map { ErlangPacket.description($0.0, $0.1) }.prefix(3) == [], random.seedComment)
    }

    // MARK: Swift's side

    private static func randomPackets(
        of folder: ProtocolFolder, using random: SeededGenerator
    ) throws -> [ErlangPacket] {
        let generated = try folder.generated()
        var lines = RandomLines(folder.translator.description, using: random)
        return try (0..<messageCount).map { _ in
            let (sender, line) = lines.next()
            let bytes = try folder.translator.encode(line: line)
            return ErlangPacket(
                sender: sender, bytes: bytes, again: try generated.transcode(bytes, from: sender)?.bytes,
                line: try folder.translator.decode(bytes.span.bytes, from: sender))
        }
    }

    /// Whether both codecs read the same as Erlang from its packet, and write the packet again.
    private static func agrees(_ folder: ProtocolFolder, _ frame: [UInt8], _ text: [UInt8]) throws -> Bool {
        let sender: Sender = frame.first == 0 ? .client : .server
        let bytes = Array(frame.dropFirst())
        let line = try folder.translator.decode(bytes.span.bytes, from: sender)
        guard isSame(line, text), try folder.translator.encode(line: line) == bytes else { return false }
        guard let again = try folder.generated().transcode(bytes, from: sender) else { return false }
        let json = GeneratedJSON(description: folder.translator.description)
        return again.bytes == bytes && json.fields(of: again.message) == line["fields"]
    }
}

/// A packet to send to Erlang.
private struct ErlangPacket {
    let sender: Sender
    /// The bytes that the translator writes.
    let bytes: [UInt8]
    /// The bytes that the generated type writes after it has read them.
    let again: [UInt8]?
    let line: JSONValue

    var frame: [UInt8] { [sender == .client ? 0 : 1] + bytes }

    func description(with answer: ([UInt8], [UInt8])) -> String {
        "\(Hexadecimal.text(of: bytes)) \(line), but Erlang: \(Self.description(answer.0, answer.1))"
    }

    static func description(_ frame: [UInt8], _ text: [UInt8]) -> String {
        "\(Hexadecimal.text(of: Array(frame.dropFirst()))) \(String(decoding: text, as: UTF8.self))"
    }
}

extension [[UInt8]] {
    /// Pairs: the first and the second item, the third and the fourth, and so on.
    fileprivate var pairs: [([UInt8], [UInt8])] {
        stride(from: 0, to: count - 1, by: 2).map { (self[$0], self[$0 + 1]) }
    }
}

/// Whether a line has the same values as Erlang's text.
private func isSame(_ line: JSONValue, _ text: [UInt8]) -> Bool {
    guard let other = try? JSONValue(parsing: String(decoding: text, as: UTF8.self)) else { return false }
    return line == other || isSame(line, other)
}

/// Whether two values are equal; two floats may be the same number with different digits.
private func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.number(let left), .number(let right)):
        left.isInteger || right.isInteger ? left == right : left.double.bitPattern == right.double.bitPattern
    case (.array(let left), .array(let right)):
        left.count == right.count && zip(left, right).allSatisfy(isSame)
    case (.object(let left), .object(let right)):
        left.count == right.count
            && zip(left, right).allSatisfy { $0.name.utf8.elementsEqual($1.name.utf8) && isSame($0.value, $1.value) }
    default: left == right
    }
}
