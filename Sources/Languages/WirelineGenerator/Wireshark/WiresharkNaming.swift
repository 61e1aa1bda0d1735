// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The unambiguous parts of Wireshark's filter names for everything that a protocol declares.
///
/// They come from the schema's own names: `SceneId`, `sceneID` and `scene_id` all become `scene_id`. If names become
/// equal, the later ones get a number.
struct WiresharkNaming {
    /// The protocol's name, as the prefix of its filters: `scene`.
    let filter: String
    /// The name of the file without `.lua`.
    let file: String
    let messages: [Record]
    let structures: [Record]
    /// Each with the arms that hold a value.
    let unions: [Record]
    let flagSets: [[String]]
    /// The fields of header and trailer, in wire order.
    private(set) var packetFields: [String]
    /// The states and the keys of layers, as the suffixes of their preferences.
    let states: [String]
    let keys: [String]

    struct Record {
        let name: String
        let fields: [String]
    }

    init(_ description: ProtocolDescription) {
        let stem = description.fileStem
        file = stem.utf8.count == 1 || Self.filterWords.contains(stem) ? "wire_" + stem : stem
        filter = Self.ownProtocols.contains(file) ? "wire_" + file : file
        // Names of every protocol.
        var taken: Set<String> = [
            "packet", "message", "id", "sender", "payload", "trailing", "unknown", "torn", "error", "note",
        ]
        // Names of protocols with layers.
        if description.layout.hasContent {
            taken.formUnion(["layer", "packets", "opaque", "sealed", "unread", "partial"])
        }
        messages = description.messages.map { Self.record($0.name, $0.fields, &taken) }
        structures = description.structures.map { Self.record($0.name, $0.fields, &taken) }
        unions = description.unions.map { Self.record($0.name, $0.fields, &taken) }
        // Filters of every field may end in these.
        flagSets = description.flagSets.map { Self.unique($0.cases.map(\.name), besides: ["list", "count"]) }
        packetFields = Self.unique(description.layout.fields.map(\.name))
        states = Self.unique(description.states.map(\.name))
        keys = Self.unique(description.preferredKeys.map(\.name))
    }

    func with(packetFields: [String]) -> WiresharkNaming {
        var result = self
        result.packetFields = packetFields
        return result
    }

    /// The words of Wireshark's filter language. A protocol cannot have one of them as its name, nor a single letter.
    private static let filterWords: Set<String> = [
        "all", "all_eq", "all_ne", "and", "any", "any_eq", "any_ne", "bitand", "bitwise_and", "contains", "eq", "ge",
        "gt",
        "in", "le", "lt", "matches", "ne", "not", "or", "xor",
    ]

    /// Protocols of Wireshark 4.0 that may share a schema's name. The dissector finds others when Wireshark loads it.
    private static let ownProtocols = Set(
        """
        amqp bacnet bgp bitcoin bittorrent coap couchbase cql diameter dns epmd erldp fix ftp git grpc http http2
        icq imap irc kafka ldap memcache modbus mongo mqtt mqttsn mysql nntp ntp opcua openvpn pgsql pop quake
        quic radius rdp resp rpc rsync rtmpt rtsp s7comm sip smb smb2 smpp smtp snmp socks someip ssh stun syslog
        tcp tds telnet tftp thrift tibia tls tns udp vnc websocket wow x11 xmpp ymsg
        """.split { " \n".contains($0) }.map(String.init))

    private static func record(_ name: String, _ fields: [FieldDescription], _ taken: inout Set<String>) -> Record {
        Record(name: taken.insertUnique(word(name)), fields: unique(fields.map(\.name)))
    }

    private static func unique(_ names: [String], besides reserved: Set<String> = []) -> [String] {
        var taken = reserved
        var numbers: [String: Int] = [:]
        return names.map { taken.insertUnique(word($0), numbers: &numbers) }
    }

    private static func word(_ name: String) -> String {
        let words = NameWords.words(of: name).map { $0.lowercased() }
        return words.isEmpty ? "field" : words.joined(separator: "_")
    }
}
