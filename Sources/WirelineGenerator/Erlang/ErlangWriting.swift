// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that write messages, structures and lists; they check every value before writing it.
struct ErlangWriting {
    let types: ErlangTypes
    private(set) var functions: [String] = []
    private var lists: Set<String> = []

    init(_ types: ErlangTypes) { self.types = types }

    // MARK: Records

    mutating func writeMessage(_ message: MessageDescription, _ plan: BodyPlan, _ naming: ErlangNaming.Record) {
        let path = "[\(ErlangText.binary(message.name))]"
        let (lines, output) = body(plan, path: path, depth: String(types.description.options.maximumDepth))
        functions.append(head(naming, []) + join(lines + [output]))
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
        let values = names.enumerated().map { "\(ErlangText.atom($1)) = V\($0 + 1)" }
        let record = "#\(ErlangText.atom(naming.name)){\(values.joined(separator: ", "))}"
        return "write_\(naming.name)(\(([record] + parameters).joined(separator: ", "))) ->\n"
    }

    private func join(_ lines: [String], end: String = ".\n") -> String {
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
        // The first field that is not set; no field after it may be set.
        var gap: String?
        for field in plan.fields {
            let number = field.index + 1
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
            if let scalar = types.scalar(field.type), !field.isOptional {
                lines.append("\(result) = \(self.number(field.type, field.description, value, place))")
                segments.append(result + scalar.writing)
                continue
            }
            endRun()
            let bytes = write(field.type, field.description, value, place)
            lines.append(
                field.isOptional
                    ? "\(result) = case \(value) of undefined -> []; _ -> \(bytes) end" : "\(result) = \(bytes)")
            parts.append(result)
        }
        endRun()
        if plan.end == .kept {
            let (value, result) = ("V\(plan.fields.count + 1)", "A\(plan.fields.count + 1)")
            lines.append("\(result) = bytes_value(\(value), <<\"trailing\">>, \(path))")
            if let gap { lines.append("_ = no_gap(\(gap), \(path), \(result))") }
            parts.append(result)
        }
        return (lines, parts.count == 1 ? parts[0] : "[\(parts.joined(separator: ", "))]")
    }

    // MARK: Values

    /// Returns an expression for the integer that represents a value of fixed width.
    private func number(
        _ type: TypeDescription, _ field: FieldDescription?, _ value: String, _ place: ErlangPlace
    ) -> String {
        let end = "\(place.name), \(place.path)"
        switch type {
        case .boolean: return "boolean(\(value), \(end))"
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

    private func bounds(_ type: TypeDescription, _ field: FieldDescription?) -> String {
        bounds(types.plan.number(type, range: field?.range)?.allowed ?? 0...0)
    }

    private func bounds(_ range: ClosedRange<Int128>) -> String {
        "\(ErlangTypes.number(range.lowerBound)), \(ErlangTypes.number(range.upperBound))"
    }

    /// Returns an expression for a value's bytes.
    private mutating func write(
        _ type: TypeDescription, _ field: FieldDescription?, _ value: String, _ place: ErlangPlace
    ) -> String {
        let end = "\(place.name), \(place.path)"
        switch type {
        case .digits(let byteCount): return "put_digits(\(value), \(byteCount), \(end))"
        case .string(.fixed(let byteCount, let padding)):
            return "put_fixed_text(\(value), \(byteCount), \(padding), \(end))"
        case .string: return text("string", "text", value, type, field, end)
        case .bytes: return text("bytes", "bytes", value, type, field, end)
        case .varint(let format):
            return "leb128(\(format.erlangBits("integer(\(value), \(bounds(field?.range ?? format.range)), \(end))")))"
        case .properties: return "property_list(\(value), \(end))"
        case .structure(let index):
            return "write_\(types.naming.structures[index].name)(\(value), \(place.depth), \(end))"
        case .fixedList(let element, let count):
            return items("item_count(\(value), \(count), \(end))", element, place)
        case .list(let element, _):
            if let prefix = type.count(limit: field?.maximumCount) {
                let variable = "L\(place.number)"
                return "case list_value(\(value), \(prefix.maximum), \(end)) of \(variable) -> "
                    + "[\(count("length(\(variable))", prefix)) | \(items(variable, element, place))] end"
            }
            let maximum = field?.maximumCount.map(String.init) ?? "infinity"
            return items("list_value(\(value), \(maximum), \(end))", element, place)
        default: return "<<(\(number(type, field, value, place)))\(types.scalar(type)?.writing ?? "")>>"
        }
    }

    private func text(
        _ name: String, _ kind: String, _ value: String, _ type: TypeDescription, _ field: FieldDescription?,
        _ end: String
    ) -> String {
        if let prefix = type.count(limit: field?.maximumCount) {
            return "put_\(kind)_\(ErlangTypes.name(prefix))(\(value), \(prefix.maximum), \(end))"
        }
        var checked = "\(name)_value(\(value), \(end))"
        if let maximum = field?.maximumCount { checked = "limited(\(checked), \(maximum), \(end))" }
        return type.extent == .terminated ? "[without_nul(\(checked), \(end)), 0]" : checked
    }

    private func count(_ value: String, _ prefix: PlannedCount) -> String {
        let order = prefix.byteOrder
        return switch prefix.format {
        case .uint8: "<<(\(value)):8>>"
        case .uint16: "<<(\(value)):16\(order == .littleEndian ? "/little" : "")>>"
        case .uint32: "<<(\(value)):32\(order == .littleEndian ? "/little" : "")>>"
        case .varint: "leb128(\(value))"
        }
    }

    // MARK: Lists

    private mutating func items(_ list: String, _ element: TypeDescription, _ place: ErlangPlace) -> String {
        let name = "put_" + types.listName(element)
        if lists.insert(name).inserted {
            let item = ErlangPlace(name: "I", path: "P", depth: "D", number: 0)
            let value = write(element, nil, "V", item)
            functions.append(
                """
                \(name)([V | T], I, D, P) -> [\(value) | \(name)(T, I + 1, D, P)];
                \(name)([], _, _, _) -> [].

                """)
        }
        return "\(name)(\(list), 0, \(place.depth), \(place.ownPath))"
    }
}
