// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

enum OptionKind: String, CaseIterable {
    case byteOrder = "byte_order"
    case stringCount = "string_count"
    case listCount = "list_count"
    case maximumPacket = "max_packet"
    case maximumDepth = "max_depth"
    case maximumInflated = "max_inflated"
    case maximumNested = "max_nested"
    case trailing, properties, varints

    /// The possible values, for error messages.
    var choices: String {
        switch self {
        case .byteOrder: "`big` or `little`"
        case .stringCount, .listCount: CountFormat.choices
        case .maximumPacket, .maximumInflated: "a number of bytes up to \(Int32.max)"
        case .maximumDepth: "a number from 1 to \(Checker.depthLimit)"
        case .maximumNested: "a number from 1 to \(Checker.nestingLimit)"
        case .trailing: "`keep` or `reject`"
        case .properties: "`strict` or `lenient`"
        case .varints: "`shortest` or `any`"
        }
    }
}

extension Checker {
    /// The largest `max_depth`: every level of structures takes a level of the decoder's stack.
    static let depthLimit = 1000

    /// The largest `max_nested`: every level of packets in packets takes a level of the reader's stack.
    static let nestingLimit = 16

    mutating func checkOptions() {
        var seen: [OptionKind: (value: String, span: SourceSpan)] = [:]
        for declared in declarations.options {
            refuseAttributes(declared.declaration.attributes, at: .option)
            let option = declared.syntax
            guard let kind = optionKind(option.name), let value = apply(kind, option.value) else { continue }
            if let first = seen[kind] {
                guard first.value != value else { continue }
                reporter.error(
                    "`\(kind.rawValue)` is \(value.quoted) here and \(first.value.quoted) in "
                        + reporter.place(of: first.span),
                    at: option.value.span, help: "options hold for the whole folder: remove one of the lines",
                    related: [.first(first.span)])
            } else {
                seen[kind] = (value, option.value.span)
            }
        }
        maximumPacketSpan = seen[.maximumPacket]?.span
        checkInflatedLimit(seen[.maximumInflated]?.span)
    }

    /// Refuses a limit of decompressed bytes below `max_packet`: it would refuse uncompressed packets.
    private mutating func checkInflatedLimit(_ span: SourceSpan?) {
        let packet = description.options.maximumPacketByteCount
        guard let span else {
            description.options.maximumInflatedByteCount = max(description.options.maximumInflatedByteCount, packet)
            return
        }
        guard description.options.maximumInflatedByteCount < packet else { return }
        reporter.error(
            "`max_inflated` is less than `max_packet`, which is \(packet)", at: span,
            help: "what a packet contains must not be less than the packet: write a larger number, or a smaller "
                + "`max_packet`")
    }

    private mutating func optionKind(_ name: NameSyntax) -> OptionKind? {
        if let kind = OptionKind(rawValue: name.text) { return kind }
        guard !name.isFaulty else { return nil }
        let help = spelling.help(for: name.text, among: OptionKind.allCases.lazy.map(\.rawValue))
        let all = OptionKind.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
        reporter.error(
            "unknown option \(name.text.quoted)", at: name.span,
            help: help ?? "the options are \(all)")
        return nil
    }

    /// Sets an option.
    ///
    /// - Returns: Its value in one spelling, for comparison; nil if it is not one of the choices.
    private mutating func apply(_ kind: OptionKind, _ value: ArgumentSyntax) -> String? {
        switch value {
        case .name(let name) where apply(kind, name.text): return name.text
        case .number(let number):
            if number.isFaulty { return nil }
            if let integer = number.integer, apply(kind, integer) { return "\(integer)" }
        case .faulty: return nil
        default: break
        }
        reporter.error("`\(kind.rawValue)` cannot be this", at: value.span, help: "it is \(kind.choices)")
        return nil
    }

    private mutating func apply(_ kind: OptionKind, _ word: String) -> Bool {
        switch (kind, word) {
        case (.byteOrder, "big"): description.options.byteOrder = .bigEndian
        case (.byteOrder, "little"): description.options.byteOrder = .littleEndian
        case (.stringCount, _):
            guard let format = CountFormat(name: word), !format.isSigned else { return false }
            description.options.stringCount = format
        case (.listCount, _):
            guard let format = CountFormat(name: word), !format.isSigned else { return false }
            description.options.listCount = format
        case (.trailing, "keep"): description.options.keepsTrailingBytes = true
        case (.trailing, "reject"): description.options.keepsTrailingBytes = false
        case (.properties, "strict"): description.options.hasStrictProperties = true
        case (.properties, "lenient"): description.options.hasStrictProperties = false
        case (.varints, "shortest"): description.options.varintForms = .shortest
        case (.varints, "any"): description.options.varintForms = .any
        default: return false
        }
        return true
    }

    private mutating func apply(_ kind: OptionKind, _ number: Int128) -> Bool {
        switch kind {
        case .maximumPacket where (1...Int128(Int32.max)).contains(number):
            description.options.maximumPacketByteCount = Int(number)
        case .maximumDepth where (1...Int128(Self.depthLimit)).contains(number):
            description.options.maximumDepth = Int(number)
        case .maximumInflated where (1...Int128(Int32.max)).contains(number):
            description.options.maximumInflatedByteCount = Int(number)
        case .maximumNested where (1...Int128(Self.nestingLimit)).contains(number):
            description.options.maximumNestedDepth = Int(number)
        default: return false
        }
        return true
    }
}
