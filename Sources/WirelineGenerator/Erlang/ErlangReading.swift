// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that read messages, structures and lists.
///
/// One match reads all adjacent fields of fixed width. If the match fails, a slower function finds the field that is
/// cut off, or an earlier field that is invalid.
struct ErlangReading {
    let types: ErlangTypes
    private(set) var functions: [String] = []
    private var lists: Set<String> = []

    init(_ types: ErlangTypes) { self.types = types }

    // MARK: Records

    mutating func readMessage(_ message: MessageDescription, _ plan: BodyPlan, _ naming: ErlangNaming.Record) {
        let path = "[\(ErlangText.binary(message.name))]"
        var body = Body(path: path, depth: String(types.description.options.maximumDepth))
        add(plan, to: &body)
        var values = body.values(naming)
        if let trailing = naming.trailing {
            values.append("\(ErlangText.atom(trailing)) = \(body.bytes)")
        } else if plan.end == .refused {
            body.lines.append(
                "\(body.bytes) =:= <<>> orelse fail({trailing_bytes, byte_size(\(body.bytes))}, \(path), "
                    + "E - byte_size(\(body.bytes)))")
        }
        body.lines.append("#\(ErlangText.atom(naming.name)){\(values.joined(separator: ", "))}")
        add("read_\(naming.name)", ["B0", "E"], body.lines)
    }

    mutating func readStructure(_ plan: BodyPlan, _ naming: ErlangNaming.Record) {
        var body = Body(path: "Q", depth: "(D - 1)")
        let maximum = types.description.options.maximumDepth
        let isSized = plan.sizePrefix != nil
        var lines = [
            "D > 0 orelse fail({too_deep, \(maximum)}, [N | P], \(isSized ? "E0" : "E") - byte_size(\(isSized ? "B" : "B0")))"
        ]
        if let prefix = plan.sizePrefix {
            lines.append("{B0, R} = bytes_\(ErlangTypes.name(prefix))(B, infinity, E0, N, P)")
        }
        add(plan, to: &body)
        let words = body.lines.reduce(into: Set<String>()) { $0.formUnion(ErlangTokens.words(of: $1)) }
        if isSized && words.contains("E") { lines.append("E = E0 - byte_size(R)") }
        if words.contains("Q") { lines.append("Q = [N | P]") }
        let rest = isSized ? "R" : body.bytes
        // Bytes after the last known field of a sized body are skipped.
        if isSized && body.results.isEmpty { lines[1] = lines[1].replacingFirst("{B0, R}", with: "{_, R}") }
        if isSized { body.dropRest() }
        lines += body.lines
        lines.append("{#\(ErlangText.atom(naming.name)){\(body.values(naming).joined(separator: ", "))}, \(rest)}")
        add("read_\(naming.name)", isSized ? ["B", "E0", "D", "N", "P"] : ["B0", "E", "D", "N", "P"], lines)
    }

    /// Adds a function. Unused parameters get an underscore.
    private mutating func add(_ name: String, _ parameters: [String], _ lines: [String]) {
        let words = lines.reduce(into: Set<String>()) { $0.formUnion(ErlangTokens.words(of: $1)) }
        let names = parameters.map { words.contains($0) ? $0 : "_" + $0 }
        functions.append(
            "\(name)(\(names.joined(separator: ", "))) ->\n    " + lines.joined(separator: ",\n    ") + ".\n")
    }

    // MARK: Fields

    /// Statements that read the fields in order.
    private struct Body {
        let path: String
        let depth: String
        var lines: [String] = []
        /// The expression for each field's value, in order.
        var results: [String] = []
        /// The variable that holds the remaining bytes.
        var bytes = "B0"
        /// The line that binds that variable; nil if it is a parameter.
        var binding: Int?

        mutating func bind(_ variable: String, _ line: String) {
            bytes = variable
            binding = lines.count
            lines.append(line)
        }

        /// Removes the variable for the remaining bytes.
        mutating func dropRest() {
            guard let binding else { return }
            lines[binding] = lines[binding].replacingFirst(", \(bytes)}", with: ", _}")
                .replacingFirst(", \(bytes)/binary>>", with: ", _/binary>>")
        }

        func values(_ naming: ErlangNaming.Record) -> [String] {
            zip(naming.fields, results).map { "\(ErlangText.atom($0)) = \($1)" }
        }
    }

    private func place(_ field: PlannedField, _ body: Body) -> ErlangPlace {
        ErlangPlace(
            name: ErlangText.binary(field.description.name), path: body.path, depth: body.depth, number: field.index + 1
        )
    }

    private mutating func add(_ plan: BodyPlan, to body: inout Body) {
        for step in plan.steps {
            if let index = step.absentField {
                add(plan.fields[index], to: &body)
                continue
            }
            var numbers: [PlannedPart] = []
            for part in step.parts {
                switch part.kind {
                case .number: numbers.append(part)
                case .count: break
                case .text:
                    addRun(numbers, plan, to: &body)
                    numbers = []
                    add(plan.fields[part.field], to: &body)
                }
            }
            addRun(numbers, plan, to: &body)
            if let index = step.content { add(plan.fields[index], to: &body) }
        }
    }

    /// Adds the statement that reads a value of variable width, or one that may be absent.
    private mutating func add(_ field: PlannedField, to body: inout Body) {
        let number = field.index + 1
        var value = read(field.type, field.description, from: body.bytes, place(field, body))
        if !field.isRequired {
            let absent = types.absent(field.description) ?? "undefined"
            value = "case \(body.bytes) of <<>> -> {\(absent), <<>>}; _ -> \(value) end"
        }
        body.bind("B\(number)", "{V\(number), B\(number)} = \(value)")
        if field.type.goesToEnd { body.dropRest() }
        body.results.append("V\(number)")
    }

    /// Adds the statements that read numbers side by side.
    private func addRun(_ parts: [PlannedPart], _ plan: BodyPlan, to body: inout Body) {
        guard let first = parts.first, let last = parts.last else { return }
        let fields = parts.map { plan.fields[$0.field] }
        let byteCount = last.offset + last.kind.byteCount - first.offset
        let places = fields.map { place($0, body) }
        let bytes = body.bytes
        let cut = cut(parts, fields, byteCount, body)
        body.lines.append("byte_size(\(bytes)) >= \(byteCount) orelse \(cut)")
        let segments = fields.map { "X\($0.index + 1)\(types.scalar($0.type)?.reading ?? "")" }
        var checks: [String] = []
        for ((part, field), place) in zip(zip(parts, fields), places) {
            let variable = "X\(field.index + 1)"
            let offset = part.offset - first.offset
            if field.type == .boolean {
                let value = "V\(field.index + 1)"
                checks.append(
                    "\(value) = boolean_at(\(variable), \(offset), \(bytes), E, \(place.name), \(place.path))")
                body.results.append(value)
                continue
            }
            if let check = check(field.type, field.description, variable) {
                let position = "E - byte_size(\(bytes))" + (offset > 0 ? " + \(offset)" : "")
                checks.append("\(check.good) orelse fail(\(check.reason), \(place.ownPath), \(position))")
            }
            body.results.append(converted(field.type, variable))
        }
        let next = "B\(last.field + 1)"
        body.bind(next, "<<\(segments.joined(separator: ", ")), \(next)/binary>> = \(bytes)")
        body.lines += checks
    }

    /// Returns the call that finds which of the numbers is cut off, or which one before it is invalid.
    private func cut(_ parts: [PlannedPart], _ fields: [PlannedField], _ byteCount: Int, _ body: Body) -> String {
        let (bytes, path) = (body.bytes, body.path)
        if parts.count == 1 { return "cut(\(bytes), \(byteCount), E, \(place(fields[0], body).name), \(path))" }
        let checks = fields.map { check($0.type, $0.description, "X") }
        let isPlain = checks.allSatisfy { $0 == nil }
        let items = zip(zip(parts, fields), checks).map { item, check in
            let (name, width) = (place(item.1, body).name, item.0.kind.byteCount)
            if isPlain { return "{\(name), \(width)}" }
            guard let check else { return "{\(name), \(width), fun any_bytes/1}" }
            if item.1.type == .boolean { return "{\(name), \(width), fun zero_or_one/1}" }
            let reading = types.scalar(item.1.type)?.reading ?? ""
            return "{\(name), \(width), fun(<<X\(reading)>>) -> \(check.good) orelse \(check.reason) end}"
        }
        return "\(isPlain ? "cut_run" : "cut_checked")([\(items.joined(separator: ", "))], \(bytes), E, \(path))"
    }

    // MARK: Scalars

    /// Returns the condition for a valid scalar and the error reason; nil if every value is valid.
    private func check(
        _ type: TypeDescription, _ field: FieldDescription?, _ x: String
    ) -> (good: String, reason: String)? {
        switch type {
        case .boolean: return ("\(x) =< 1", "{invalid_boolean, \(x)}")
        case .enumeration(let index, _) where types.description.enumerations[index].isClosed:
            return ("is_atom(\(types.nameFunction(index))(\(x)))", "{unknown_case, \(x)}")
        case .integer:
            guard let range = field?.range else { return nil }
            let (low, high) = (ErlangTypes.number(range.lowerBound), ErlangTypes.number(range.upperBound))
            return ("(\(x) >= \(low) andalso \(x) =< \(high))", "{out_of_range, \(x), \(low), \(high)}")
        case .float32, .float64:
            guard let range = field?.floatRange else { return nil }
            let (low, high) = (ErlangText.float(range.lowerBound), ErlangText.float(range.upperBound))
            let value = converted(type, x)
            return ("in_range(\(value), \(low), \(high))", "{float_out_of_range, \(value), \(low), \(high)}")
        default: return nil
        }
    }

    private func converted(_ type: TypeDescription, _ x: String) -> String {
        switch type {
        case .float32: "float32(\(x))"
        case .float64: "float64(\(x))"
        case .boolean: "\(x) =:= 1"
        case .enumeration(let index, _): "\(types.nameFunction(index))(\(x))"
        case .flags(let index, _): "mask_names(\(types.masksFunction(index))(), \(x), 0)"
        default: x
        }
    }

    // MARK: Values

    /// Returns an expression whose value is `{Value, Rest}`.
    private mutating func read(
        _ type: TypeDescription, _ field: FieldDescription?, from bytes: String, _ place: ErlangPlace
    ) -> String {
        let end = "E, \(place.name), \(place.path)"
        switch type {
        case .digits(let byteCount): return "digits(\(bytes), \(byteCount), \(end))"
        case .string(let extent): return text("text", extent, field, bytes, end)
        case .bytes(let extent): return text("bytes", extent, field, bytes, end)
        case .varint(let format):
            let value = "\(format.erlangReading)(\(bytes), \(format.maximumByteCount), \(end))"
            guard let range = field?.range else { return value }
            let (low, high) = (ErlangTypes.number(range.lowerBound), ErlangTypes.number(range.upperBound))
            return "within(\(value), \(low), \(high), \(bytes), \(end))"
        case .properties(let isStrict): return "properties(\(bytes), \(isStrict ? "strict" : "lenient"), \(end))"
        case .structure(let index):
            return
                "read_\(types.naming.structures[index].name)(\(bytes), E, \(place.depth), \(place.name), \(place.path))"
        case .fixedList(let element, let count):
            addCounted(element)
            return "\(types.listName(element))({\(count), \(bytes)}, E, \(place.depth), \(place.name), \(place.path))"
        case .list(let element, .counted(let format, let order)):
            addCounted(element)
            let count = counted(format, order, field, bytes, end)
            return "\(types.listName(element))(\(count), E, \(place.depth), \(place.name), \(place.path))"
        case .list(let element, _):
            addTail(element)
            let maximum = field?.maximumCount.map(String.init) ?? "infinity"
            return "tail_\(types.listName(element))(\(bytes), 0, \(maximum), [], E, \(place.depth), \(place.ownPath))"
        default: return readScalar(type, field, from: bytes, place)
        }
    }

    private func readScalar(
        _ type: TypeDescription, _ field: FieldDescription?, from bytes: String, _ place: ErlangPlace
    ) -> String {
        guard let scalar = types.scalar(type) else { return "" }
        let (x, rest) = ("X\(place.number)", "R\(place.number)")
        let check = check(type, field, x).map {
            "\($0.good) orelse fail(\($0.reason), \(place.ownPath), E - byte_size(\(bytes))), "
        }
        return "case \(bytes) of <<\(x)\(scalar.reading), \(rest)/binary>> -> \(check ?? "")"
            + "{\(converted(type, x)), \(rest)}; "
            + "_ -> cut(\(bytes), \(scalar.byteCount), E, \(place.name), \(place.path)) end"
    }

    private func text(
        _ kind: String, _ extent: TypeDescription.Extent, _ field: FieldDescription?, _ bytes: String, _ end: String
    ) -> String {
        let maximum = field?.maximumCount.map(String.init) ?? "infinity"
        return switch extent {
        case .counted(let format, let order):
            "\(kind)_\(ErlangTypes.name(format, order))(\(bytes), \(maximum), \(end))"
        case .terminated: "terminated_\(kind)(\(bytes), \(maximum), \(end))"
        case .rest: "rest_\(kind)(\(bytes), \(maximum), \(end))"
        case .fixed(let byteCount, let padding): "fixed_\(kind)(\(bytes), \(byteCount), \(padding), \(end))"
        }
    }

    private func counted(
        _ format: CountFormat, _ order: ByteOrder, _ field: FieldDescription?, _ bytes: String, _ end: String
    ) -> String {
        let maximum = field?.maximumCount.map(String.init) ?? "infinity"
        return "count_\(ErlangTypes.name(format, order))(\(bytes), \(maximum), \(end))"
    }

    // MARK: Lists

    /// The place of a list's item, inside the list's function.
    private static let item = ErlangPlace(name: "I", path: "P", depth: "D", number: 0)

    private mutating func addCounted(_ element: TypeDescription) {
        let name = types.listName(element)
        guard lists.insert(name).inserted else { return }
        if let scalar = types.scalar(element), check(element, nil, "X") == nil {
            let width = scalar.byteCount
            functions.append(
                """
                \(name)({C, B}, E, _, N, P) ->
                    Size = C * \(width),
                    case B of
                        <<L:Size/binary, R/binary>> -> {[\(converted(element, "X")) || <<X\(scalar.reading)>> <= L], R};
                        _ ->
                            Left = byte_size(B) rem \(width),
                            fail({truncated, \(width), Left}, [byte_size(B) div \(width), N | P], E - Left)
                    end.

                """)
            return
        }
        let value = read(element, nil, from: "B", Self.item)
        functions.append(
            """
            \(name)({C, B}, E, D, N, P) -> \(name)(B, C, 0, [], E, D, [N | P]).

            \(name)(R, 0, _, A, _, _, _) -> {lists:reverse(A), R};
            \(name)(B, C, I, A, E, D, P) ->
                {V, R} = \(value),
                \(name)(R, C - 1, I + 1, [V | A], E, D, P).

            """)
    }

    private mutating func addTail(_ element: TypeDescription) {
        let name = "tail_" + types.listName(element)
        guard lists.insert(name).inserted else { return }
        let value = read(element, nil, from: "B", Self.item)
        functions.append(
            """
            \(name)(<<>>, _, _, A, _, _, _) -> {lists:reverse(A), <<>>};
            \(name)(B, I, Max, A, E, D, P) ->
                I < Max orelse fail({too_long, I + 1, Max}, P, E - byte_size(B)),
                {V, R} = \(value),
                \(name)(R, I + 1, Max, [V | A], E, D, P).

            """)
    }
}

extension String {
    /// Returns the text with the first occurrence of a part replaced.
    fileprivate func replacingFirst(_ part: String, with other: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
