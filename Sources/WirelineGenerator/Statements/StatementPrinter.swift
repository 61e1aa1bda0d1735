// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints the statements that read and write the packets of a protocol, for every language that has a ``Dialect``.
///
/// It returns the lines of functions. A back end puts them into functions with the parameters `r` or `w`, and where they are used `h`,
/// `m` and `f`.
struct StatementPrinter: Sendable {
    let dialect: any Dialect
    let plan: CodePlan
    /// The functions of each union: with the tag before the value and with it elsewhere.
    let unions: [UnionFunctions]

    /// The names of the functions that read and write a union.
    struct UnionFunctions: Sendable {
        let read: String
        let write: String
        let readTagged: String
        let writeTagged: String
        let tag: String
    }

    init(_ dialect: any Dialect) {
        self.dialect = dialect
        plan = dialect.plan
        var names = dialect.plan
        unions = names.names.unions.map { union in
            UnionFunctions(
                read: names.uniqueName("read\(union.name)"), write: names.uniqueName("write\(union.name)"),
                readTagged: names.uniqueName("read\(union.name)Value"),
                writeTagged: names.uniqueName("write\(union.name)Value"),
                tag: names.uniqueName("tagOf\(union.name)"))
        }
    }

    // MARK: Words

    func read(_ function: String, _ arguments: String...) -> String { dialect.call("r", function, arguments) }

    func written(_ function: String, _ arguments: String...) -> String { dialect.call("w", function, arguments) }

    /// Returns the statement that calls a function of the reader.
    func reading(_ function: String, _ arguments: String...) -> String {
        dialect.statement(dialect.call("r", function, arguments))
    }

    /// Returns the statement that calls a function of the writer.
    func writing(_ function: String, _ arguments: String...) -> String {
        dialect.statement(dialect.call("w", function, arguments))
    }

    func word(_ kind: String) -> String { dialect.string(kind) }

    func type(_ value: ValuePlan) -> CodeType { .value(value) }

    func ifThen(_ condition: String, _ lines: [String], otherwise: [String] = []) -> [String] {
        dialect.choose([(condition, lines)], otherwise: otherwise)
    }

    /// Returns a sum with a constant that may be negative.
    func sum(_ text: String, _ constant: Int) -> String {
        constant == 0 ? text : constant < 0 ? "\(text) - \(-constant)" : "\(text) + \(constant)"
    }

    /// Returns the prefix's number in the vocabulary.
    func code(_ prefix: PlannedCount) -> String {
        switch prefix.format {
        case .varint: "0"
        case .zigzag: "32"
        default:
            String(
                (prefix.format.fixedByteCount ?? 0)
                    + (prefix.byteOrder == .littleEndian && prefix.format.hasByteOrder ? 16 : 0))
        }
    }

    // MARK: Numbers

    /// Returns the end of the words for numbers of whole bytes: `U16Little`.
    func suffix(_ format: IntegerFormat, _ order: ByteOrder) -> String {
        let little = order == .littleEndian && format.byteCount > 1
        return "\(format.isSigned ? "i" : "u")\(8 * format.byteCount)\(little ? "Little" : "")"
    }

    /// Whether numbers of so many bytes have words of their own.
    func hasWord(_ format: IntegerFormat) -> Bool { [1, 2, 3, 4, 8].contains(format.byteCount) }

    /// Returns the condition that a number is in a range; nil if its type holds no other ones.
    func isWithin(_ text: String, _ range: ClosedRange<Int128>, _ format: IntegerFormat) -> String? {
        let held = dialect.range(of: format)
        let low =
            range.lowerBound > held.lowerBound ? dialect.compare(text, ">=", range.lowerBound, format) : nil
        let high =
            range.upperBound < held.upperBound ? dialect.compare(text, "<=", range.upperBound, format) : nil
        let parts = [low, high].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " && ")
    }

    /// Returns the condition that a number is one of some.
    func isOne(of numbers: [Int128], _ text: String, _ format: IntegerFormat) -> String {
        numbers.map { dialect.compare(text, "==", $0, format) }.joined(separator: " || ")
    }

    /// Returns a number in `uint64` of which only so many bits are left.
    func bits(_ text: String, _ format: IntegerFormat, width: Int) -> String {
        let wide = dialect.convert(text, from: format, to: .uint64)
        guard width < 64 else { return wide }
        return "(\(wide) & \(dialect.literal((1 << Int128(width)) - 1, .uint64)))"
    }

    /// Returns the number of a field in an integer that several share, of the type for its format.
    func part(of run: String, shift: Int, width: Int, _ format: IntegerFormat) -> String {
        if format.isSigned {
            let signed = dialect.convert(run, from: .uint64, to: .int64)
            let (left, right) = (64 - shift - width, 64 - width)
            return dialect.convert("(\(signed) << \(left) >> \(right))", from: .int64, to: format)
        }
        var text = shift == 0 ? run : dialect.shiftedRight(run, by: String(shift))
        if width < 64 { text = "(\(text) & \(dialect.literal((1 << Int128(width)) - 1, .uint64)))" }
        return dialect.convert(text, from: .uint64, to: format)
    }

    /// Returns the bits of a varint's value that are written, as `uint64`.
    func varintBits(_ format: VarintFormat, _ text: String) -> String {
        switch format.encoding {
        case .zigzag: written("zigzagBits", text)
        case .signed32: bits(text, format.numberFormat, width: 32)
        case .unsigned, .signed64: dialect.convert(text, from: format.numberFormat, to: .uint64)
        }
    }

    // MARK: Variables

    private static let mark: Character = "\u{1}"

    /// Returns the declaration of a variable that is left out if nothing uses it.
    ///
    /// - Parameter effect: The expression that is evaluated even then; nil if that would do nothing.
    func declare(_ name: String, _ type: CodeType, _ value: String, effect: String?) -> String {
        let left = effect.map { dialect.statement($0) } ?? ""
        return "\(Self.mark)\(name)\(Self.mark)\(left)\(Self.mark)\(dialect.constant(name, type, value))"
    }

    /// Returns the lines of a function, without the declarations of variables that nothing uses.
    func settled(_ lines: [String]) -> [String] {
        var lines = lines
        while true {
            var uses: [String: Int] = [:]
            for line in lines {
                let code = line.split(separator: Self.mark, omittingEmptySubsequences: false).last ?? ""
                for word in RuntimeText.words(of: code, lineComment: "//", hasKeys: false) {
                    uses[word, default: 0] += 1
                }
            }
            let left = lines.compactMap { line -> String? in
                let parts = line.split(separator: Self.mark, omittingEmptySubsequences: false)
                guard parts.count == 4, uses[String(parts[1])] == 1 else { return line }
                return parts[2].isEmpty ? nil : String(parts[0] + parts[2])
            }
            if left == lines { break }
            lines = left
        }
        return lines.map { line in
            let parts = line.split(separator: Self.mark, omittingEmptySubsequences: false)
            return parts.count == 4 ? String(parts[0] + parts[3]) : line
        }
    }
}

extension PacketShape {
    /// The sender of these packets; nil for both.
    var sender: Sender? { words.first.flatMap { Sender(rawValue: $0) } }
}

extension CodePlan {
    /// Whether every header has a field, so that its member cannot be absent; by its position among all fields of packets.
    func hasAlways(headerField position: Int) -> Bool {
        wholeShapes.allSatisfy { shape in
            guard let index = shape.positions.firstIndex(of: position) else { return false }
            return shape.layout.fields[index].condition == nil && shape.wrap.fitting?.field != index
        } && !fixedHeaderFields.contains(position)
    }

    /// Returns the type of a header's member.
    func headerType(_ position: Int) -> CodeType {
        if let number = headerNumber(position) { return .value(.number(number)) }
        return switch description.layout.fields[position].format {
        case .integer(let format, _): .number(format)
        case .varint(let format): .number(format.numberFormat)
        case .boolean, .bit: .boolean
        case .text, .digits: .text
        case .bytes: .bytes
        }
    }

    /// Returns how the number of a header's field is an enum or flags; nil for another field.
    func headerNumber(_ position: Int) -> NumberPlan? {
        switch description.packetFieldType(position) {
        case .enumeration?, .flags?: break
        default: return nil
        }
        guard let type = description.packetFieldType(position),
            case .number(let number) = coding.value(type, nil, in: [])
        else { return nil }
        return number
    }
}

extension PacketField.Format {
    /// The format of the numbers that a field of a packet has; a boolean is a number of 8 bits.
    var numberFormat: IntegerFormat {
        switch self {
        case .integer(let format, _): format
        case .varint(let format): format.numberFormat
        case .boolean, .bit, .text, .digits, .bytes: .uint8
        }
    }
}
