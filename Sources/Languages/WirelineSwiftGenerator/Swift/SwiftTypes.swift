// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

struct SwiftTypes {
    let plan: CodingPlan
    let naming: SwiftNaming
    /// The cases of closed enums that are the default of a field or the tag of a union.
    let closedDefaults: Set<ClosedCase>
    /// The index of each message, by its name in the schema.
    let messageIndices: [String: Int]
    /// The names of each closed enum's cases, without backticks.
    private let closedCases: [Int: [Int128: String]]

    var description: ProtocolDescription { plan.description }

    struct ClosedCase: Hashable {
        let enumeration: String
        let value: Int128

        init(_ enumeration: String, _ value: Int128) {
            self.enumeration = enumeration
            self.value = value
        }
    }

    init(_ description: ProtocolDescription) {
        plan = CodingPlan(description)
        naming = SwiftNaming(description)
        messageIndices = Dictionary(
            description.messages.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        closedDefaults = Self.closedDefaults(description)
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

    private static func closedDefaults(_ description: ProtocolDescription) -> Set<ClosedCase> {
        var result: Set<ClosedCase> = []
        for field in description.allFields {
            if case .enumeration(let index, _) = field.type,
                case .since(_, default: .integer(let value)) = field.presence
            {
                result.insert(ClosedCase(description.enumerations[index].name, value))
            }
        }
        for union in description.unions {
            guard case .enumeration(let index, _) = union.tag else { continue }
            let name = description.enumerations[index].name
            result.formUnion(union.arms.compactMap { arm in arm.tag.map { ClosedCase(name, $0) } })
        }
        // Most defaults are zero, so all zeros count as used.
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
        case .float(.binary64, _): "Swift::Double"
        case .float: "Swift::Float"
        case .boolean, .bit: "Swift::Bool"
        case .varint(let format): format.swiftType
        case .string, .utf16, .digits: "Swift::String"
        case .bytes: "[Swift::UInt8]"
        case .properties: "WirelineCodec::Properties"
        case .enumeration(let index, _): naming.enumerations[index].reference
        case .flags(let index, _): naming.flagSets[index].reference
        case .structure(let index): naming.structures[index].reference
        case .union(let index): naming.unions[index].reference
        case .fixedList(let element, _), .list(let element, _): "[\(text(element))]"
        case .sized(let content, _): text(content)
        }
    }

    /// Returns the range to check a value for before it is written; nil if Swift's type has no other values.
    func checkedRange(_ type: TypeDescription, _ range: ClosedRange<Int128>?) -> ClosedRange<Int128>? {
        guard let number = plan.number(type, range: range) else { return range }
        return range != nil || !number.format.fillsHostInteger && !plan.isClosed(type) ? number.allowed : nil
    }

    // MARK: Defaults

    /// Returns the value of a `@since` field when the bytes end before it.
    func value(_ value: DefaultValue, of type: TypeDescription) -> String {
        switch (value, type) {
        case (.integer(let number), .boolean), (.integer(let number), .bit): number == 0 ? "false" : "true"
        case (.integer(let number), .enumeration(let index, _)): enumerationValue(number, index)
        case (.integer(let number), .flags): ".init(rawValue: \(number))"
        case (.integer(let number), _): "\(number)"
        // Digits of the property's type, which may hold more numbers.
        case (.float(let number), .float(let format, _)):
            (format.hasHostType ? format : .binary32).digits(of: format.nearest(to: number))
        case (.float(let number), _): "\(number)"
        case (.string(let text), _): SwiftText.literal(text)
        case (.zero, _): zero(type)
        }
    }

    private func zero(_ type: TypeDescription) -> String {
        switch type {
        case .float: "0"
        case .string(.exact(let byteCount)): "Swift::String(repeating: \"\\0\", count: \(byteCount))"
        case .bytes(.exact(let byteCount)): ".init(repeating: 0, count: \(byteCount))"
        case .sized(let content, _): zero(content)
        case .digits(let format): "Swift::String(repeating: \"0\", count: \(format.digitCount))"
        case .bytes, .list: "[]"
        case .fixedList(let element, let count): ".init(repeating: \(zero(element)), count: \(count))"
        // The checker refuses it for a union, which has no zero.
        default: type.zero.map { value($0, of: type) } ?? ".init()"
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
    var swiftType: String {
        let widths = [8, 16, 32, 64]
        return "Swift::\(isSigned ? "Int" : "UInt")\(widths.first { $0 >= bitWidth } ?? 64)"
    }

    /// The prefix of the codec's functions that return such an integer.
    var swiftMethod: String { isSigned ? "signed" : "unsigned" }
}

extension ByteOrder {
    var swiftCase: String { self == .bigEndian ? ".bigEndian" : ".littleEndian" }
}

extension PlannedCount {
    /// The arguments of the codec's functions that read and write counts.
    var swiftArguments: String { ".\(format.name), \(byteOrder.swiftCase)" }
}

extension CountFormat {
    var swiftType: String {
        switch self {
        case .uint8: "Swift::UInt8"
        case .uint16: "Swift::UInt16"
        case .uint32: "Swift::UInt32"
        case .varint: "Swift::UInt64"
        case .int16: "Swift::Int16"
        case .int32: "Swift::Int32"
        case .zigzag: "Swift::Int64"
        }
    }
}
