// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that write messages, structures and lists; they check every value before writing it.
struct ErlangWriting {
    let types: ErlangTypes
    var functions: [String] = []
    private var lists: Set<String> = []

    init(_ types: ErlangTypes) { self.types = types }

    // MARK: Records

    mutating func writeMessage(_ message: MessageDescription, _ plan: BodyPlan, _ naming: ErlangNaming.Record) {
        let path = "[\(ErlangText.binary(message.name))]"
        let (lines, output) = body(plan, path: path, depth: String(types.description.options.maximumDepth))
        let numbers = types.headerNumbers(plan, usual: \.usualNumber)
        functions.append(head(naming, plan.looksAtHeader ? ["H"] : []) + join(numbers + lines + [output]))
    }

    mutating func writeStructure(_ plan: BodyPlan, _ naming: ErlangNaming.Record) {
        let maximum = types.description.options.maximumDepth
        var (lines, output) = body(plan, path: "Q", depth: "(D - 1)")
        if let prefix = plan.sizePrefix {
            lines += [
                "Body = \(output)", "Size = iolist_size(Body)",
                "Size =< \(ErlangTypes.number(Int128(prefix.maximum))) orelse "
                    + "fail_without_offset({too_long, Size, \(prefix.maximum)}, [N | P])",
            ]
            output = "[\(count("Size", prefix)), Body]"
        }
        let words = (lines + [output]).reduce(into: Set<String>()) { $0.formUnion(ErlangTokens.words(of: $1)) }
        if words.contains("Q") { lines.insert("Q = [N | P]", at: 0) }
        let needsPath = words.contains("Q") || plan.sizePrefix != nil
        let parameters = [words.contains("D") ? "D" : "_", needsPath ? "N" : "_", needsPath ? "P" : "_"]
        functions.append(
            "write_\(naming.name)(_, 0, N, P) -> fail_without_offset({too_deep, \(maximum)}, [N | P]);\n"
                + head(naming, parameters) + join(lines + [output], end: ";\n")
                + "write_\(naming.name)(_, _, N, P) -> fail_without_offset({wrong_type, record}, [N | P]).\n")
    }

    private func head(_ naming: ErlangNaming.Record, _ parameters: [String]) -> String {
        let names = naming.fields + (naming.trailing.map { [$0] } ?? [])
        let values = names.enumerated().compactMap { $1.isEmpty ? nil : "\(ErlangText.atom($1)) = V\($0 + 1)" }
        let record = "#\(ErlangText.atom(naming.name)){\(values.joined(separator: ", "))}"
        return "write_\(naming.name)(\(([record] + parameters).joined(separator: ", "))) ->\n"
    }

    func join(_ lines: [String], end: String = ".\n") -> String {
        "    " + lines.joined(separator: ",\n    ") + end
    }

    // MARK: Fields

    /// Returns statements that check the fields in order, and an expression for their bytes.
    private mutating func body(_ plan: BodyPlan, path: String, depth: String) -> (lines: [String], output: String) {
        var lines: [String] = []
        var parts: [String] = []
        var segments: [String] = []
        func endRun() {
            if !segments.isEmpty { parts.append("<<\(segments.joined(separator: ", "))>>") }
            segments = []
        }
        // What needs the numbers of fields that count others.
        var lateLines: [String] = []
        // The variable with the number of each field that conditions can look at.
        var operands: [Int: String] = [:]
        // The first field that is not set; no field after it may be set.
        var gap: String?
        for field in plan.fields {
            if field.description.role == .padding {
                segments.append("0:\(8 * (types.plan.fixedByteCount(of: field.type) ?? 0))")
                continue
            }
            if field.description.packing == nil, let constant = types.description.constant(of: field.description) {
                segments += Self.segments(of: constant)
                continue
            }
            if let user = field.reference.user, case .union(let index) = plan.fields[user].type.content {
                let tag = "tag_of_\(types.naming.unions[index].type)(V\(user + 1))"
                if let scalar = types.scalar(field.type) {
                    segments.append("(\(tag))\(scalar.writing)")
                } else {
                    endRun()
                    parts.append("leb128(\(tag))")
                }
                continue
            }
            let number = field.index + 1
            if field.isCounter, field.description.packing == nil {
                if let scalar = types.scalar(field.type) {
                    segments.append("A\(number)" + scalar.writing)
                } else {
                    endRun()
                    parts.append("A\(number)")
                }
                continue
            }
            let place = ErlangPlace(
                name: ErlangText.binary(field.description.name), path: path, depth: depth, number: number)
            let (value, result) = ("V\(number)", "A\(number)")
            if field.isOptional || field.followsOptional {
                let name = field.isFollowed ? "G\(number)" : "_"
                if field.followsOptional || field.isFollowed {
                    lines.append("\(name) = gap(\(gap ?? "none"), \(place.name), \(value), \(path))")
                }
                gap = name
            }
            if let packing = field.description.packing {
                if field.hasValue {
                    lines.append("\(result) = \(self.number(field.type, field.description, value, place))")
                    operands[field.index] = result
                }
                guard packing.endsRun, let run = plan.runs.first(where: { $0.bits.last?.field == field.index }) else {
                    continue
                }
                if run.isInErlangOrder {
                    segments.append(run.erlangSegments("A"))
                } else {
                    let integer = "\(run.erlangInteger):\(8 * run.byteCount)"
                    lateLines.append("<<\(integer)>> = <<\(run.erlangSegments("A"))>>")
                    if !run.bits.contains(where: { plan.fields[$0.field].isCounter }) {
                        lines.append(lateLines.removeLast())
                    }
                    segments.append(run.erlangSegment)
                }
                continue
            }
            if let scalar = types.scalar(field.type), !field.mayBeUnset {
                lines.append("\(result) = \(self.number(field.type, field.description, value, place))")
                segments.append(result + scalar.writing)
                operands[field.index] = result
                continue
            }
            endRun()
            let bytes = write(field, value, place)
            let checked = present(field, value, place, in: plan, operands)
            lines.append(
                field.mayBeUnset
                    ? "\(result) = case \(checked) of undefined -> \(absence(of: field)); _ -> \(bytes) end"
                    : "\(result) = \(bytes)")
            parts.append(result)
            lines += agreement(of: field, value, place, plan)
            guard plan.operands.contains(field.index) else { continue }
            lines.append("N\(number) = \(types.operandNumber(field, value, place))")
            operands[field.index] = "N\(number)"
        }
        endRun()
        lines += plan.derivations.map { number(of: $0, plan) } + lateLines
        if plan.end == .kept { parts.append(keptBytes(behind: plan, gap: gap, path: path, &lines)) }
        return (lines, parts.count == 1 ? parts[0] : "[\(parts.joined(separator: ", "))]")
    }

    /// Returns the bit syntax of a constant.
    private static func segments(of constant: PlannedConstant) -> [String] {
        switch constant {
        case .number(let number, let format, let order):
            return [ErlangTypes.segmentValue(number) + ErlangTypes.scalar(format, order).writing]
        case .text(let text, let byteCount, let padding):
            let restCount = byteCount - text.utf8.count
            let rest = restCount > 0 ? ["(binary:copy(<<\(padding)>>, \(restCount)))/binary"] : []
            return text.utf8.map(String.init) + rest
        }
    }

    /// Adds statements that check the bytes after the last field, and returns their variable.
    private func keptBytes(behind plan: BodyPlan, gap: String?, path: String, _ lines: inout [String]) -> String {
        let (value, result) = ("V\(plan.fields.count + 1)", "A\(plan.fields.count + 1)")
        lines.append("\(result) = bytes_value(\(value), <<\"trailing\">>, \(path))")
        if let gap { lines.append("_ = no_gap(\(gap), \(path), \(result))") }
        return result
    }

    /// Returns the expression for a value that is set exactly when its condition holds; without a condition the value.
    ///
    /// - Parameter operands: The variables with the numbers of earlier fields.
    private func present(
        _ field: PlannedField, _ value: String, _ place: ErlangPlace, in plan: BodyPlan, _ operands: [Int: String]
    ) -> String {
        guard let condition = field.condition else { return value }
        let holds = types.condition(condition) { [types] operand in
            types.headerVariable(operand) ?? plan.field(operand).flatMap { operands[$0.index] } ?? "0"
        }
        return "present(\(value), \(holds), \(place.name), \(place.path))"
    }

    /// Returns the expression for the bytes of a field that is absent: those of its prefix, if that says so.
    private func absence(of field: PlannedField) -> String {
        guard field.isNullable, let format = field.description.count?.format else { return "[]" }
        return format.fixedByteCount.map { "<<(-1):\(8 * $0)>>" } ?? "<<1>>"
    }

    // MARK: Values

    /// Returns an expression for the bytes of a field.
    private mutating func write(_ field: PlannedField, _ value: String, _ place: ErlangPlace) -> String {
        guard field.reference.tagSource != nil, case .union(let index) = field.type.content else {
            return write(field.type, field.description, value, place)
        }
        let arguments = [value, place.depth, place.name, place.path]
        let body = "bytes_of_\(types.naming.unions[index].type)(\(arguments.joined(separator: ", ")))"
        guard case .sized(let content, let extent) = field.type else { return body }
        return sized(body, content, extent, place)
    }

    /// Returns an expression for the integer that represents a value of fixed width.
    private func number(
        _ type: TypeDescription, _ field: FieldDescription?, _ value: String, _ place: ErlangPlace
    ) -> String {
        let end = "\(place.name), \(place.path)"
        switch type {
        case .boolean, .bit: return "boolean(\(value), \(end))"
        case .float32, .float64:
            let width = if case .float32 = type { "32" } else { "64" }
            let bits = "float\(width)_bits(\(value), \(end))"
            guard let range = field?.floatRange else { return bits }
            let (low, high) = (ErlangText.float(range.lowerBound), ErlangText.float(range.upperBound))
            return "float\(width)_within(\(bits), \(low), \(high), \(end))"
        case .enumeration(let index, _):
            let number = "\(types.numberFunction(index))(\(value))"
            guard !types.plan.isClosed(type) else { return "closed(\(number), \(end))" }
            return "enumeration(\(number), \(bounds(type, field)), \(end))"
        case .flags(let index, _):
            let most = ErlangTypes.number(types.plan.number(type)?.allowed.upperBound ?? 0)
            return "bits(\(value), \(types.masksFunction(index))(), \(most), \(end))"
        case .integer: return "integer(\(value), \(bounds(type, field)), \(end))"
        default: return ""
        }
    }

    /// Returns an expression for the number of a union's tag.
    func number(ofTag type: TypeDescription, _ value: String, _ place: ErlangPlace) -> String {
        guard case .varint(let format) = type else { return number(type, nil, value, place) }
        return "integer(\(value), \(bounds(format.range)), \(place.name), \(place.path))"
    }

    private func bounds(_ type: TypeDescription, _ field: FieldDescription?) -> String {
        bounds(types.plan.number(type, range: field?.range)?.allowed ?? 0...0)
    }

    private func bounds(_ range: ClosedRange<Int128>) -> String {
        "\(ErlangTypes.number(range.lowerBound)), \(ErlangTypes.number(range.upperBound))"
    }

    /// Returns an expression for a value's bytes.
    mutating func write(
        _ type: TypeDescription, _ field: FieldDescription?, _ value: String, _ place: ErlangPlace
    ) -> String {
        let end = "\(place.name), \(place.path)"
        switch type {
        case .digits(let byteCount): return "put_digits(\(value), \(byteCount), \(end))"
        case .string(.fixed(let byteCount, let padding)):
            return "put_fixed_text(\(value), \(byteCount), \(padding), \(end))"
        case .string(.exact(let byteCount)): return "exact(string_value(\(value), \(end)), \(byteCount), \(end))"
        case .bytes(.exact(let byteCount)): return "exact(bytes_value(\(value), \(end)), \(byteCount), \(end))"
        case .sized(let content, let extent): return writeSized(content, extent, field, value, place)
        case .string: return text("string", "text", value, type, field, end)
        case .utf16(let extent, let order): return utf16(value, extent, order, field, place)
        case .bytes: return text("bytes", "bytes", value, type, field, end)
        case .varint(let format):
            return "leb128(\(format.erlangBits("integer(\(value), \(bounds(field?.range ?? format.range)), \(end))")))"
        case .properties: return "property_list(\(value), \(end))"
        case .structure(let index):
            return "write_\(types.naming.structures[index].name)(\(value), \(place.depth), \(end))"
        case .union(let index):
            return "write_\(types.naming.unions[index].type)(\(value), \(place.depth), \(end))"
        case .fixedList(let element, let count):
            return items("item_count(\(value), \(count), \(end))", element, place)
        case .list(let element, let extent):
            if let prefix = type.count(limit: field?.maximumCount) {
                let variable = "L\(place.number)"
                return "case list_value(\(value), \(prefix.maximum), \(end)) of \(variable) -> "
                    + "[\(count("length(\(variable))", prefix)) | \(items(variable, element, place))] end"
            }
            let maximum = maximum(of: type, field).map(String.init) ?? "infinity"
            return items("list_value(\(value), \(maximum), \(end))", element, until: extent.terminator, place)
        default: return "<<(\(number(type, field, value, place)))\(types.scalar(type)?.writing ?? "")>>"
        }
    }

    /// Returns an expression for the bytes of a value that stands inside a number of bytes.
    private mutating func writeSized(
        _ content: TypeDescription, _ extent: TypeDescription.Extent, _ field: FieldDescription?, _ value: String,
        _ place: ErlangPlace
    ) -> String {
        sized(write(content, field, value, place), content, extent, place)
    }

    /// Returns an expression for bytes with the prefix or the zeros that their number of bytes asks for.
    private func sized(
        _ body: String, _ content: TypeDescription, _ extent: TypeDescription.Extent, _ place: ErlangPlace
    ) -> String {
        let end = "\(place.name), \(place.path)"
        if case .exact(let byteCount) = extent {
            return "\(content.goesToEnd ? "exact" : "filled")(iolist_to_binary(\(body)), \(byteCount), \(end))"
        }
        if case .field(let count) = extent {
            let limited = "limited(iolist_to_binary(\(body)), \(count.range.upperBound), \(end))"
            return Self.atLeast(count, limited, end)
        }
        guard let prefix = TypeDescription.sized(content, extent).count(limit: nil) else { return body }
        let variable = "Z\(place.number)"
        return "case limited(iolist_to_binary(\(body)), \(ErlangTypes.number(Int128(prefix.maximum))), \(end)) of "
            + "\(variable) -> [\(count("byte_size(\(variable))", prefix)), \(variable)] end"
    }

    private func text(
        _ name: String, _ kind: String, _ value: String, _ type: TypeDescription, _ field: FieldDescription?,
        _ end: String
    ) -> String {
        if let prefix = type.count(limit: field?.maximumCount) {
            return "put_\(kind)_\(ErlangTypes.name(prefix))(\(value), \(prefix.maximum), \(end))"
        }
        var checked = "\(name)_value(\(value), \(end))"
        if let maximum = maximum(of: type, field) { checked = "limited(\(checked), \(maximum), \(end))" }
        if let count = type.fieldCount { checked = Self.atLeast(count, checked, end) }
        return type.extent == .terminated ? "[without_nul(\(checked), \(end)), 0]" : checked
    }

    private func utf16(
        _ value: String, _ extent: TypeDescription.Extent, _ order: ByteOrder, _ field: FieldDescription?,
        _ place: ErlangPlace
    ) -> String {
        let (order, end) = (order.erlangName, "\(place.name), \(place.path)")
        let limit = field?.maximumCount
        let maximum = limit.map(String.init) ?? "infinity"
        switch extent {
        case .counted:
            guard let prefix = TypeDescription.string(extent).count(limit: limit) else { return "" }
            let variable = "L\(place.number)"
            return "case utf16_value(\(value), \(prefix.maximum), \(order), \(end)) of \(variable) -> "
                + "[\(count("byte_size(\(variable)) div 2", prefix)), \(variable)] end"
        case .terminated: return "put_terminated_utf16(\(value), \(maximum), \(order), \(end))"
        case .rest, .exact, .field, .until: return "utf16_value(\(value), \(maximum), \(order), \(end))"
        case .fixed(let byteCount, let padding):
            return "put_fixed_utf16(\(value), \(byteCount), \(padding), \(order), \(end))"
        }
    }

    func count(_ value: String, _ prefix: PlannedCount) -> String {
        let order = prefix.byteOrder
        return switch prefix.format {
        case .uint8: "<<(\(value)):8>>"
        case .uint16, .int16: "<<(\(value)):16\(order == .littleEndian ? "/little" : "")>>"
        case .uint32, .int32: "<<(\(value)):32\(order == .littleEndian ? "/little" : "")>>"
        case .varint: "leb128(\(value))"
        case .zigzag: "leb128(2 * (\(value)))"
        }
    }

    /// Returns the most items or bytes of a value without a prefix; nil if there is no limit.
    private func maximum(of type: TypeDescription, _ field: FieldDescription?) -> Int? {
        guard let count = type.fieldCount else { return field?.maximumCount }
        return min(field?.maximumCount ?? .max, count.range.upperBound)
    }

    /// Returns the expression for bytes that are checked against the smallest size that an earlier field can say.
    private static func atLeast(_ count: FieldCount, _ bytes: String, _ end: String) -> String {
        count.range.lowerBound > 0 ? "at_least(\(bytes), \(count.range.lowerBound), \(end))" : bytes
    }

    // MARK: Lists

    /// - Parameter terminator: The byte that ends the list, with which no item may begin; nil if none does.
    private mutating func items(
        _ list: String, _ element: TypeDescription, until terminator: UInt8? = nil, _ place: ErlangPlace
    ) -> String {
        let name = (terminator.map { "put_until_\($0)_" } ?? "put_") + types.listName(element)
        if lists.insert(name).inserted {
            let item = ErlangPlace(name: "I", path: "P", depth: "D", number: 0)
            var value = write(element, nil, "V", item)
            if let terminator { value = "not_beginning_with(\(terminator), iolist_to_binary(\(value)), I, P)" }
            functions.append(
                """
                \(name)([V | T], I, D, P) -> [\(value) | \(name)(T, I + 1, D, P)];
                \(name)([], _, _, _) -> \(terminator.map { "[\($0)]" } ?? "[]").

                """)
        }
        return "\(name)(\(list), 0, \(place.depth), \(place.ownPath))"
    }
}

extension PacketField {
    /// The number that is written for a field which a program can set, if it does not set it.
    fileprivate var usualNumber: Int128 { if case .value(let value) = role { value.number } else { 0 } }
}
