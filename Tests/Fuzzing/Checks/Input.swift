// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineSchema

/// What a fuzzer has made up, taken apart from its front; after its end there are only zeros.
struct Input {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below `count`.
    mutating func choice(of count: Int) -> Int { Int(byte()) % count }

    mutating func subject() -> Subject { Subject.all[choice(of: Subject.all.count)] }

    /// One of a protocol's packets:
    ///
    ///     +---------+--------+-----------+
    ///     | 0 role  | payload …          |   the role's message
    ///     +---------+--------------------+
    ///     | 1 sender| packet …           |   as it is
    ///     +---------+--------------------+
    ///
    /// Of the first byte the top bit says which. Payloads are there so that the fuzzer need not guess checksums.
    ///
    /// - Returns: The packet and who sends it; nil for a payload that is too long for the protocol.
    mutating func packet(of subject: Subject) -> (bytes: [UInt8], sender: Sender)? {
        let selector = byte()
        let bytes = Array(rest)
        guard selector < Self.wholePacket else {
            return (bytes, selector == Self.wholePacket ? .client : .server)
        }
        let role = subject.roles[Int(selector) % subject.roles.count]
        do throws(CodecError) {
            let layout = subject.codecs.generated.layout.layout(from: role.sender)
            return (try layout.encode(id: role.id, payload: bytes.span.bytes), role.sender)
        } catch {
            return nil
        }
    }

    static let wholePacket: UInt8 = 0x80
}

/// A protocol that is fuzzed.
struct Subject: Sendable {
    /// A message and one who may send it.
    struct Role: Equatable, Sendable {
        let name: String
        let id: UInt64
        let sender: Sender
    }

    let folder: ProtocolFolder
    let codecs: CodecPair
    let roles: [Role]

    var translator: PacketTranslator { codecs.translator }

    /// Regression files name a protocol by its place here: a new one goes to the end, none is taken away.
    static let names = [
        "AMQP", "ErlangPacket1", "ErlangPacket2", "ErlangPacket4", "Goim", "IDFirst", "MQTT", "MagicHeader", "Modbus",
        "Pomelo", "QSIOP", "Scene", "ServiceCommand", "ShortStrings", "Skynet", "Telemetry", "TwoByteHeader",
        "Features", "GT06", "Checksums", "HTTP2", "Headers", "Shapes", "JTT808", "Envelope", "Zabbix",
        "Realm", "Senders",
    ]

    static let all: [Subject] = names.map { name in
        do throws(UnknownProtocol) {
            return try Subject(ProtocolFolder.named(name))
        } catch {
            fatalError("\(error)")
        }
    }

    private init(_ folder: ProtocolFolder) throws(UnknownProtocol) {
        self.folder = folder
        codecs = try folder.codecs()
        roles = folder.translator.description.messages.flatMap { message in
            Sender.allCases.filter(message.senders.contains).map { sender in
                Role(name: message.name, id: message.id, sender: sender)
            }
        }
    }
}
