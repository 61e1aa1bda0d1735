// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The facts about a protocol's types that code generation needs.
struct SwiftTypes {
    let description: ProtocolDescription
    let naming: SwiftNaming
    /// The structures that count their depth, because they could nest too deeply.
    let depthCounting: Set<Int>
    /// The structures that need an initializer without arguments, for `@since` fields.
    let zeroNeeding: Set<Int>
    /// The structures that occur in lists of a known length.
    let listed: Set<Int>
    /// The cases of closed enums that are the default of a field.
    let closedDefaults: Set<ClosedCase>
    /// The index of each message, by its name in the schema.
    let messageIndices: [String: Int]
    private let sizes: WireSizes
    /// The structures whose Swift type has values that cannot be written.
    private let checked: Set<Int>
    /// The names of each closed enum's cases, without backticks.
    private let closedCases: [Int: [Int128: String]]

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
        messageIndices = Dictionary(
            description.messages.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        depthCounting = description.structuresCountingDepth()
        zeroNeeding = description.structuresNeedingZero()
        listed = Self.listed(description)
        closedDefaults = Self.closedDefaults(description)
        sizes = WireSizes(description)
        checked = Self.checked(description)
        closedCases = Self.closedCases(description)
    }

    private static func closedCases(_ description: ProtocolDescription) -> [Int: [Int128: String]] {
        var result: [Int: [Int128: String]] = [:]
        for (index, enumeration) in description.enumerations.enumerated() where enumeration.isClosed {
            let names = SwiftEnumerations.caseNames(enumeration.cases, isClosed: true)
            result[index] = Dictionary(
                zip(enumeration.cases.map(\.value), names), uniquingKeysWith: { first, _ in first })
        }
        return result
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
        // Most defaults are zero; it is not worth finding out which of them are used.
        for enumeration in description.enumerations where enumeration.isClosed {
            let zero = enumeration.cases.first { $0.value == 0 } ?? enumeration.cases.first
            if let zero { result.insert(ClosedCase(enumeration.name, zero.value)) }
        }
        return result
    }

    /// Returns the type of a property for such a value.
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

    /// Returns the integer on the wire for a value of fixed width, with its byte order; nil for other types.
    func integer(_ type: TypeDescription) -> (format: IntegerFormat, order: ByteOrder)? {
        switch type {
        case .integer(let format, let order): (format, order)
        case .enumeration(let index, let order): (description.enumerations[index].format, order)
        case .flags(let index, let order): (description.flagSets[index].format, order)
        default: nil
        }
    }

    /// Returns the size of a number or a `bool` in bytes; nil for other types.
    func scalarByteCount(_ type: TypeDescription) -> Int? {
        switch type {
        case .structure, .fixedList: nil
        default: fixedByteCount(type)
        }
    }

    /// Returns the size of every value in bytes; nil if it varies.
    func fixedByteCount(_ type: TypeDescription) -> Int? { sizes.size(of: type).fixedByteCount }

    /// Returns the fewest bytes of a list's item, at least 1.
    func itemByteCount(_ element: TypeDescription) -> Int { max(1, sizes.size(of: element).minimumByteCount) }

    /// Returns whether the Swift type has values that cannot be written.
    func needsCheck(_ type: TypeDescription) -> Bool {
        Self.needsCheck(type, description, checked: checked)
    }

    private static func checked(_ description: ProtocolDescription) -> Set<Int> {
        var checked: Set<Int> = []
        for index in StructureGraph(byValueIn: description).innermostFirst {
            let structure = description.structures[index]
            let isChecked = structure.fields.contains { field in
                field.range != nil || field.floatRange != nil || needsCheck(field.type, description, checked: checked)
            }
            if isChecked || structure.sizePrefix != nil { checked.insert(index) }
        }
        return checked
    }

    private static func needsCheck(
        _ type: TypeDescription, _ description: ProtocolDescription, checked: Set<Int>
    ) -> Bool {
        switch type {
        case .float32, .float64, .boolean: false
        case .integer(let format, _): format.byteCount == 3
        case .flags(let index, _): description.flagSets[index].format.byteCount == 3
        case .enumeration(let index, _):
            description.enumerations[index].format.byteCount == 3 && !description.enumerations[index].isClosed
        case .varint(let maximum): maximum < 10
        // Swift's values can have any length.
        case .string, .bytes, .list, .fixedList, .properties: true
        case .structure(let index): checked.contains(index)
        }
    }

    func isClosed(_ type: TypeDescription) -> Bool {
        if case .enumeration(let index, _) = type { description.enumerations[index].isClosed } else { false }
    }

    /// Returns the range to check a value for, if Swift's type is wider than the wire's; nil otherwise.
    func checkedRange(_ type: TypeDescription, _ range: ClosedRange<Int128>?) -> ClosedRange<Int128>? {
        if let range { return range }
        guard let (format, _) = integer(type), format.byteCount == 3, !isClosed(type) else { return nil }
        return format.range
    }

    // MARK: Defaults

    /// Returns the value of a `@since` field when the bytes end before it.
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
        // The checker allows a closed enum without 0 in a structure; then the first case is used.
        let name = closedCases[index]?[number] ?? enumeration.cases.first.flatMap { closedCases[index]?[$0.value] }
        return "." + SwiftIdentifier.quoted(name ?? "")
    }
}

extension IntegerFormat {
    /// The Swift type that holds all values.
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
    /// The size of a count in bytes; nil if it varies.
    var fixedByteCount: Int? { self == .varint ? nil : minimumByteCount }

    /// The integer type of a count of fixed width.
    var swiftType: String {
        switch self {
        case .uint8: "Swift::UInt8"
        case .uint16: "Swift::UInt16"
        case .uint32: "Swift::UInt32"
        case .varint: "Swift::UInt64"
        }
    }
}
