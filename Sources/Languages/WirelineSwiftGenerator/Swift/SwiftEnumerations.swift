// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

struct SwiftEnumerations {
    let types: SwiftTypes

    /// Returns the names of cases, without backticks.
    static func caseNames(_ cases: [EnumerationDescription.Case], isClosed: Bool) -> [String] {
        let wanted = cases.map { SwiftWords.lowerCamel($0.alias ?? $0.name, fallback: "value") }
        // Values of an enum have these members, and a case may not share their names.
        let reserved: Set<String> = isClosed ? ["rawValue", "hash", "hashValue", "caseName"] : ["namedFlags"]
        return SwiftIdentifier.members(wanted, reserved: reserved)
    }

    /// Writes an enum: a structure that keeps unknown numbers, or a Swift enum if it is closed.
    func write(_ enumeration: EnumerationDescription, as name: SwiftTypeName, to source: inout SwiftSource) {
        let raw = enumeration.format.swiftType
        let names = Self.caseNames(enumeration.cases, isClosed: enumeration.isClosed)
        let quoted = SwiftIdentifier.quoted(name.declared)
        if enumeration.isClosed {
            source.documentation(enumeration.documentation)
            source.block("public enum \(quoted): \(raw), Swift::Hashable, Swift::Sendable") { source in
                let defaults = types.closedDefaults
                for (member, name) in zip(enumeration.cases, names) {
                    let isUsed = defaults.contains(SwiftTypes.ClosedCase(enumeration.name, member.value))
                    source.documentation(member.documentation)
                    // The generated code itself uses the names of defaults.
                    if !isUsed { source.deprecation(member.deprecation) }
                    source.line("case \(SwiftIdentifier.quoted(name)) = \(SwiftText.number(member.value))")
                }
            }
        } else {
            source.documentation(enumeration.documentation)
            source.block("public struct \(quoted): Swift::RawRepresentable, Swift::Hashable, Swift::Sendable") {
                source in
                writeRawValue(raw, "The number on the wire; one that has no name is kept as it is.", to: &source)
                writeMembers(enumeration.cases, names, to: &source)
            }
        }
    }

    /// Writes the names of an enum's values, for its description.
    func writeNames(of enumeration: EnumerationDescription, as name: SwiftTypeName, to source: inout SwiftSource) {
        source.blank()
        source.block("extension \(name.reference): WirelineCodec::NamedValue") { source in
            source.block("public var caseName: Swift::String?") { source in
                source.line("switch rawValue {")
                for (value, name) in Self.names(of: enumeration.cases, isClosed: enumeration.isClosed) {
                    source.line("case \(value): \(SwiftText.literal(name))")
                }
                source.line("default: nil")
                source.line("}")
            }
        }
    }

    /// Writes the names of flags, for their description.
    func writeNames(of flags: FlagsDescription, as name: SwiftTypeName, to source: inout SwiftSource) {
        let names = Self.names(of: flags.cases, isClosed: false)
        source.blank()
        source.block("extension \(name.reference): WirelineCodec::NamedFlags") { source in
            let type = "[(bits: \(flags.format.swiftType), name: Swift::String)]"
            source.block("public static var namedFlags: \(type)") { source in
                source.line("[" + names.map { "(\($0), \(SwiftText.literal($1)))" }.joined(separator: ", ") + "]")
            }
        }
    }

    /// The values and their names in Swift; if a value has several names, the first.
    private static func names(
        of cases: [EnumerationDescription.Case], isClosed: Bool
    ) -> [(value: String, name: String)] {
        var known: Set<Int128> = []
        return zip(cases, caseNames(cases, isClosed: isClosed)).filter { known.insert($0.0.value).inserted }
            .map { (SwiftText.number($0.value), $1) }
    }

    /// Writes flags: an option set that keeps unknown bits.
    func write(_ flags: FlagsDescription, as name: SwiftTypeName, to source: inout SwiftSource) {
        let quoted = SwiftIdentifier.quoted(name.declared)
        let names = Self.caseNames(flags.cases, isClosed: false)
        source.documentation(flags.documentation)
        source.block("public struct \(quoted): Swift::OptionSet, Swift::Hashable, Swift::Sendable") { source in
            writeRawValue(
                flags.format.swiftType, "The bits on the wire; those that have no name are kept.", to: &source)
            writeMembers(flags.cases, names, to: &source)
        }
    }

    private func writeRawValue(_ raw: String, _ documentation: String, to source: inout SwiftSource) {
        source.documentation(documentation)
        source.line("public var rawValue: \(raw)")
        source.blank()
        source.documentation("Makes the value of its number on the wire.")
        source.line("@inlinable public init(rawValue: \(raw)) { self.rawValue = rawValue }")
    }

    private func writeMembers(
        _ cases: [EnumerationDescription.Case], _ names: [String], to source: inout SwiftSource
    ) {
        for (member, name) in zip(cases, names) {
            source.blank()
            source.documentation(member.documentation)
            source.deprecation(member.deprecation)
            let value = SwiftText.number(member.value)
            source.line(
                "@inlinable public static var \(SwiftIdentifier.quoted(name)): Self { Self(rawValue: \(value)) }")
        }
    }
}

extension SwiftSource {
    /// Appends an attribute that deprecates the next declaration; nothing for nil.
    mutating func deprecation(_ reason: String?) {
        guard let reason else { return }
        line("@available(*, deprecated, message: \(SwiftText.literal(reason)))")
    }
}
