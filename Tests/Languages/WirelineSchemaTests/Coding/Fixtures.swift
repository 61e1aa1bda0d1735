// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

let nowhere = SourceLocation(file: "Test.wire", line: 1, column: 1)

extension FieldDescription {
    init(
        _ name: String, _ type: TypeDescription, _ presence: Presence = .required, range: ClosedRange<Int128>? = nil,
        floatRange: ClosedRange<Double>? = nil, max maximumCount: Int? = nil
    ) {
        self.init(name: name, type: type, location: nowhere)
        self.presence = presence
        self.range = range
        self.floatRange = floatRange
        self.maximumCount = maximumCount
    }
}

extension TypeDescription {
    static let uint8 = TypeDescription.integer(.uint8, .bigEndian)
    static let uint16 = TypeDescription.integer(.uint16, .bigEndian)
    static let uint32 = TypeDescription.integer(.uint32, .bigEndian)
    static let uint64 = TypeDescription.integer(.uint64, .bigEndian)
    static let text = TypeDescription.string(.counted(.uint16, .bigEndian))

    static func list(_ element: TypeDescription) -> TypeDescription {
        .list(element, .counted(.uint16, .bigEndian))
    }
}

extension MessageDescription {
    init(_ name: String, id: UInt64, from senders: Set<Sender> = [.client], _ fields: [FieldDescription]) {
        self.init(name: name, id: id, senders: senders, fields: fields, location: nowhere)
    }
}

extension StructureDescription {
    init(_ name: String, sized sizePrefix: CountFormat? = nil, _ fields: [FieldDescription]) {
        self.init(name: name, fields: fields, byteOrder: .bigEndian, location: nowhere)
        self.sizePrefix = sizePrefix
    }
}

extension ProtocolDescription {
    /// A protocol with one message `M`, and the declarations that its fields may refer to.
    static func only(
        _ fields: [FieldDescription], _ change: (inout ProtocolDescription) -> Void = { _ in }
    )
        -> ProtocolDescription
    {
        var result = ProtocolDescription(name: "Test")
        result.messages = [MessageDescription("M", id: 1, fields)]
        result.enumerations = [
            EnumerationDescription(
                name: "Result", format: .uint8, cases: [.init(name: "failed", value: 0), .init(name: "ok", value: 1)],
                location: nowhere),
            EnumerationDescription(
                name: "Wide", format: .int64, cases: [.init(name: "least", value: Int128(Int64.min))],
                location: nowhere),
            EnumerationDescription(
                name: "Closed", format: .int16, cases: [.init(name: "minus", value: -1), .init(name: "nil", value: 0)],
                location: nowhere),
        ]
        result.enumerations[2].isClosed = true
        result.flagSets = [
            FlagsDescription(
                name: "Rights", format: .uint16,
                cases: [
                    .init(name: "mute", value: 0x1), .init(name: "ban", value: 0x2), .init(name: "staff", value: 0x3),
                    .init(name: "owner", value: 0x0C), .init(name: "none", value: 0),
                ], location: nowhere),
            FlagsDescription(
                name: "WideRights", format: .uint64, cases: [.init(name: "top", value: 1 << 63)], location: nowhere),
        ]
        change(&result)
        return result
    }

    /// The seed's scene messages.
    static let scene: ProtocolDescription = {
        var result = ProtocolDescription(name: "Scene")
        result.structures = [StructureDescription("Item", [.init("id", .uint32), .init("count", .uint32)])]
        result.messages = [
            MessageDescription(
                "Cs_20001", id: 20_001,
                [.init("SceneId", .uint8), .init("Line", .uint32), .init("message", .text)]),
            MessageDescription(
                "Sc_20001", id: 20_001, from: [.server],
                [.init("res", .uint8), .init("items", .list(.structure(0)))]),
            MessageDescription("Cs_20002", id: 20_002, []),
        ]
        result.messages[0].alias = "EnterScene"
        return result
    }()
}

/// A translator of payloads of the message `M`, in text and hexadecimal digits.
struct PayloadTranslator {
    let translator: PacketTranslator

    init(_ description: ProtocolDescription) {
        translator = PacketTranslator(description)
    }

    init(_ fields: FieldDescription..., change: (inout ProtocolDescription) -> Void = { _ in }) {
        self.init(.only(fields, change))
    }

    /// The payload of JSON fields, as hexadecimal digits.
    func encode(_ json: String) throws -> String {
        Hexadecimal.text(of: try translator.encodePayload(message: "M", fields: JSONValue(parsing: json)))
    }

    /// The JSON of a payload: its fields, and after them the trailing bytes if there are any.
    func decode(_ hexadecimal: String) throws -> String {
        let line = try decodeLine(bytes(hexadecimal))
        let trailing = line["trailing"].map { " + \($0)" } ?? ""
        return (line["fields"] ?? .null).description + trailing
    }

    func decodeLine(_ payload: [UInt8], header: PacketHeader = [:]) throws(CodecError) -> JSONValue {
        try translator.decodePayload(payload.span.bytes, asMessage: "M", header: header) ?? .null
    }
}

/// The bytes of hexadecimal digits, which may have spaces between them.
func bytes(_ hexadecimal: String) -> [UInt8] {
    (try? Hexadecimal.bytes(of: hexadecimal)) ?? []
}
