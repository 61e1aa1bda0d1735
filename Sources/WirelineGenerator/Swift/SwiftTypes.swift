// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// What is known of a protocol's types when code is made of them.
struct SwiftTypes {
    let description: ProtocolDescription
    let naming: SwiftNaming
    /// The structures that count how deep they nest, because they could nest too deeply.
    let depthCounting: Set<Int>
    /// The structures that need an initialiser without arguments, for `@since` fields.
    let zeroNeeding: Set<Int>
    /// The structures that stand in lists of a known length.
    let listed: Set<Int>
    /// The cases of closed enums that are some field's default.
    let closedDefaults: Set<ClosedCase>
    /// How code speaks of the message with a name in the schema.
    let messageReferences: [String: String]
    private let footprints: [SwiftFootprint]

    /// A case of a closed enum.
    struct ClosedCase: Hashable {
        let enumeration: String
        let value: Int128

        init(_ enumeration: String, _ value: Int128) {
            self.enumeration = enumeration
            self.value = value
        }
    }

    init(_ description: ProtocolDescription) {
        self.description = description
        naming = SwiftNaming(description)
        messageReferences = Dictionary(
            zip(description.messages, naming.messages).map { ($0.name, $1.reference) },
            uniquingKeysWith: { first, _ in first })
        let graph = StructureGraph(description)
        depthCounting = graph.depthCounting
        zeroNeeding = graph.zeroNeeding
        listed = Self.listed(description)
        closedDefaults = Self.closedDefaults(description)
        footprints = SwiftFootprint.ofStructures(description, innermostFirst: graph.innermostFirst)
    }

    private static func listed(_ description: ProtocolDescription) -> Set<Int> {
        var result: Set<Int> = []
        for field in description.messages.flatMap(\.fields) + description.structures.flatMap(\.fields) {
            switch field.type {
            case .list(.structure(let index), .counted), .fixedList(.structure(let index), _): result.insert(index)
            default: break
            }
        }
        return result
    }

    private static func closedDefaults(_ description: ProtocolDescription) -> Set<ClosedCase> {
        var result: Set<ClosedCase> = []
        for field in description.messages.flatMap(\.fields) + description.structures.flatMap(\.fields) {
            if case .enumeration(let index, _) = field.type,
                case .since(_, default: .integer(let value)) = field.presence
            {
                result.insert(ClosedCase(description.enumerations[index].name, value))
            }
        }
        // Zeros are what most defaults are; which of them are used is not worth finding out.
        for enumeration in description.enumerations where enumeration.isClosed {
            let zero = enumeration.cases.first { $0.value == 0 } ?? enumeration.cases.first
            if let zero { result.insert(ClosedCase(enumeration.name, zero.value)) }
        }
        return result
    }

    /// The type of a property that holds such a value.
    func text(_ type: TypeDescription) -> String {
        switch type {
        case .integer(let format, _): format.swiftType
        case .float32: "Swift::Float"
        case .float64: "Swift::Double"
        case .boolean: "Swift::Bool"
        case .varint: "Swift::UInt64"
        case .string: "Swift::String"
        case .bytes: "[Swift::UInt8]"
        case .properties: "WirelineCodec::Properties"
        case .enumeration(let index, _): naming.enumerations[index].reference
        case .flags(let index, _): naming.flagSets[index].reference
        case .structure(let index): naming.structures[index].reference
        case .fixedList(let element, _), .list(let element, _): "[\(text(element))]"
        }
    }

    /// The integer that a value of fixed width stands as on the wire, with its byte order; nil for other types.
    func integer(_ type: TypeDescription) -> (format: IntegerFormat, order: ByteOrder)? {
        switch type {
        case .integer(let format, let order): (format, order)
        case .enumeration(let index, let order): (description.enumerations[index].format, order)
        case .flags(let index, let order): (description.flagSets[index].format, order)
        default: nil
        }
    }

    /// The bytes of a number or a `bool`; nil for other types.
    func scalarByteCount(_ type: TypeDescription) -> Int? {
        switch type {
        case .float32: 4
        case .float64: 8
        case .boolean: 1
        default: integer(type)?.format.byteCount
        }
    }

    /// How many bytes a value takes.
    func footprint(_ type: TypeDescription) -> SwiftFootprint {
        SwiftFootprint(type, description) { footprints[$0] }
    }

    func isClosed(_ type: TypeDescription) -> Bool {
        if case .enumeration(let index, _) = type { description.enumerations[index].isClosed } else { false }
    }

    /// The range that a value must be checked for, because Swift's type is wider than what may stand on the wire.
    func checkedRange(_ type: TypeDescription, _ range: ClosedRange<Int128>?) -> ClosedRange<Int128>? {
        if let range { return range }
        guard let (format, _) = integer(type), format.byteCount == 3, !isClosed(type) else { return nil }
        return format.range
    }

    // MARK: Defaults

    /// What a `@since` field is when the bytes end before it.
    func value(_ value: DefaultValue, of type: TypeDescription) -> String {
        switch (value, type) {
        case (.integer(let number), .boolean): number == 0 ? "false" : "true"
        case (.integer(let number), .enumeration(let index, _)): enumerationValue(number, index)
        case (.integer(let number), .flags): ".init(rawValue: \(number))"
        case (.integer(let number), _): "\(number)"
        case (.float(let number), .float32): "\(Float(number))"
        case (.float(let number), _): "\(number)"
        case (.string(let text), _): SwiftText.literal(text)
        case (.zero, _): zero(type)
        }
    }

    private func zero(_ type: TypeDescription) -> String {
        switch type {
        case .integer, .varint, .float32, .float64: "0"
        case .boolean: "false"
        case .string: "\"\""
        case .bytes, .list: "[]"
        case .properties, .structure: ".init()"
        case .enumeration(let index, _): enumerationValue(0, index)
        case .flags: ".init(rawValue: 0)"
        case .fixedList(let element, let count): ".init(repeating: \(zero(element)), count: \(count))"
        }
    }

    private func enumerationValue(_ number: Int128, _ index: Int) -> String {
        let enumeration = description.enumerations[index]
        guard enumeration.isClosed else { return ".init(rawValue: \(number))" }
        // The checker lets a closed enum without 0 into a structure; its first case is as good as any.
        let position = enumeration.cases.firstIndex { $0.value == number } ?? 0
        return "." + SwiftIdentifier.quoted(SwiftEnumerations.caseNames(enumeration.cases, isClosed: true)[position])
    }
}

extension IntegerFormat {
    /// The Swift type that holds every value.
    var swiftType: String {
        switch self {
        case .uint24: "Swift::UInt32"
        case .int24: "Swift::Int32"
        default: "Swift::\(isSigned ? "Int" : "UInt")\(byteCount * 8)"
        }
    }
}

extension ByteOrder {
    var swiftCase: String { self == .bigEndian ? ".bigEndian" : ".littleEndian" }
}

extension CountFormat {
    /// The bytes of a count that always takes the same, or nil.
    var fixedByteCount: Int? { self == .varint ? nil : minimumByteCount }

    /// The integer that a count of fixed width is.
    var swiftType: String {
        switch self {
        case .uint8: "Swift::UInt8"
        case .uint16: "Swift::UInt16"
        case .uint32: "Swift::UInt32"
        case .varint: "Swift::UInt64"
        }
    }
}
