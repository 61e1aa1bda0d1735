// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineTransport

/// A message that a DNS server could send, valid or not.
struct DNSAnswer {
    /// A record; the data as bytes.
    struct Record {
        var owner: String
        var type: UInt16
        var recordClass: UInt16 = 1
        var seconds: UInt32 = 300
        var data: [UInt8]

        static func address(_ owner: String, _ text: String, seconds: UInt32 = 300) throws -> Record {
            let bytes = try SocketAddress(ipAddress: text, port: 0).bytes
            return Record(owner: owner, type: bytes.count == 4 ? 1 : 28, seconds: seconds, data: bytes)
        }

        static func alias(_ owner: String, _ target: String, seconds: UInt32 = 300) -> Record {
            Record(owner: owner, type: 5, seconds: seconds, data: DNSAnswer.name(target))
        }

        /// The record of a zone (SOA) that says how long a negative answer is valid.
        static func zone(_ owner: String, seconds: UInt32, absence: UInt32) -> Record {
            let numbers = [UInt8](repeating: 0, count: 16) + DNSAnswer.bytes(absence)
            let names = DNSAnswer.name("ns." + owner) + DNSAnswer.name("admin." + owner)
            return Record(owner: owner, type: 6, seconds: seconds, data: names + numbers)
        }
    }

    var number: UInt16 = 0x1234
    /// A response to a query, with the records found.
    var flags: UInt16 = 0x8180
    var name = "game.example"
    var type: UInt16 = 1
    var questionCount: UInt16 = 1
    var answers: [Record] = []
    var authorities: [Record] = []

    var bytes: [UInt8] {
        let counts = [number, flags, questionCount, UInt16(answers.count), UInt16(authorities.count), 0]
        let question = Self.name(name) + Self.bytes(type) + Self.bytes(UInt16(1))
        return counts.flatMap(Self.bytes) + question + (answers + authorities).flatMap(Self.bytes)
    }

    private static func bytes(_ record: Record) -> [UInt8] {
        name(record.owner) + bytes(record.type) + bytes(record.recordClass) + bytes(record.seconds)
            + bytes(UInt16(record.data.count)) + record.data
    }

    static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

extension DNSQuestion {
    init(_ host: String, _ family: AddressFamily) throws {
        self.init(try #require(DNSName(host)), family)
    }
}
