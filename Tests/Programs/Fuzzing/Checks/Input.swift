// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineErlang
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
    ///     | 1 context| packet …          |   as it is
    ///     +---------+--------------------+
    ///
    /// Of the first byte the top bit says which. Payloads are there so that the fuzzer need not guess checksums.
    ///
    /// - Returns: The packet and in which context it is sent; nil for a payload that is too long for the protocol.
    mutating func packet(of subject: Subject) -> (bytes: [UInt8], context: PacketContext)? {
        let selector = byte()
        let bytes = Array(rest)
        guard selector < Self.wholePacket else {
            return (bytes, subject.contexts[Int(selector - Self.wholePacket) % subject.contexts.count])
        }
        let role = subject.roles[Int(selector) % subject.roles.count]
        do throws(CodecError) {
            let layout = subject.codecs.generated.layout.layout(in: role.context)
            return (try layout.encode(id: role.id, payload: bytes.span.bytes), role.context)
        } catch {
            return nil
        }
    }

    static let wholePacket: UInt8 = 0x80
}

/// A protocol that is fuzzed.
struct Subject: Sendable {
    /// A message, and a context in which it may be sent.
    struct Role: Equatable, Sendable {
        let name: String
        let id: UInt64
        let context: PacketContext

        var sender: Sender { context.sender }
    }

    let folder: ProtocolFolder
    let codecs: CodecPair
    let roles: [Role]
    /// The contexts of whole packets: a client's, a server's, and those in other states.
    let contexts: [PacketContext]
    let records: ErlangRecords

    var translator: PacketTranslator { codecs.translator }

    /// Regression files name a protocol by its place here: a new one goes to the end, none is taken away.
    static let names = [
        "AMQP", "ErlangPacket1", "ErlangPacket2", "ErlangPacket4", "Goim", "IDFirst", "MQTT", "MagicHeader", "Modbus",
        "Pomelo", "QSIOP", "Scene", "ServiceCommand", "ShortStrings", "Skynet", "Telemetry", "TwoByteHeader",
        "Features", "GT06", "Checksums", "HTTP2", "Headers", "Shapes", "JTT808", "Envelope", "Zabbix",
        "Realm", "Senders",
        "PostgreSQL", "States",
    ]

    static let all: [Subject] = names.map { name in
        do throws(UnknownProtocol) {
            return try Subject(ProtocolFolder.named(name))
        } catch {
            fatalError("\(error)")
        }
    }

    /// The one of the contexts in which packets have the same layout as in this one.
    func nearest(to context: PacketContext) -> PacketContext {
        let layout = translator.description.layout
        return contexts.first { $0.sender == context.sender && layout.layout(in: $0) == layout.layout(in: context) }
            ?? context
    }

    private init(_ folder: ProtocolFolder) throws(UnknownProtocol) {
        self.folder = folder
        codecs = try folder.codecs()
        records = ErlangRecords(folder.translator.description)
        let layout = folder.translator.description.layout
        // Packets that do not depend on a context have one for each sender.
        let contexts =
            layout.hasStates
            ? Array((layout.exampleContexts ?? []).prefix(16)) : Sender.allCases.map { PacketContext(from: $0) }
        self.contexts = contexts
        roles = folder.translator.description.messages.flatMap { message in
            Sender.allCases.filter(message.senders.contains).flatMap { sender in
                contexts.filter { $0.sender == sender }.map {
                    Role(name: message.name, id: message.id, context: $0)
                }
            }
        }
    }
}
