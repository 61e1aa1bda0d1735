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
    /// The variables of the fields of a body that count others, by name.
    private var counters: [String: String] = [:]

    init(_ types: ErlangTypes) { self.types = types }

    // MARK: Records

    mutating func readMessage(_ message: MessageDescription, _ plan: BodyPlan, _ naming: ErlangNaming.Record) {
        let path = "[\(ErlangText.binary(message.name))]"
        var body = Body(path: path, depth: String(types.description.options.maximumDepth))
        body.lines = types.headerNumbers(plan) { _ in 0 }
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
        add("read_\(naming.name)", plan.looksAtHeader ? ["B0", "E", "H"] : ["B0", "E"], body.lines)
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
        if isSized && plan.fields.isEmpty { lines[1] = lines[1].replacingFirst("{B0, R}", with: "{_, R}") }
        if isSized { body.dropRest() }
        lines += body.lines
        lines.append("{#\(ErlangText.atom(naming.name)){\(body.values(naming).joined(separator: ", "))}, \(rest)}")
        add("read_\(naming.name)", isSized ? ["B", "E0", "D", "N", "P"] : ["B0", "E", "D", "N", "P"], lines)
    }

    /// Adds a function. Unused parameters get an underscore.
    mutating func add(_ name: String, _ parameters: [String], _ lines: [String]) {
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
        /// The expression for the value of each field that has one, in order.
        var results: [String] = []
        /// The variable with the number of each field that conditions can look at.
        var operands: [Int: String] = [:]
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
            zip(naming.fields.filter { !$0.isEmpty }, results).map { "\(ErlangText.atom($0)) = \($1)" }
        }
    }

    private func place(_ field: PlannedField, _ body: Body) -> ErlangPlace {
        ErlangPlace(
            name: ErlangText.binary(field.description.name), path: body.path, depth: body.depth, number: field.index + 1
        )
    }

    private mutating func add(_ plan: BodyPlan, to body: inout Body) {
        counters = Dictionary(
            plan.fields.filter(\.isCounter).map { field in
                let isNumber = field.description.packing != nil || types.scalar(field.type) != nil
                return (field.description.name, (isNumber ? "X" : "V") + "\(field.index + 1)")
            },
            uniquingKeysWith: { first, _ in first })
        for step in plan.steps {
            if let index = step.absentField ?? step.conditionalField {
                add(plan.fields[index], plan, to: &body)
                continue
            }
            var numbers: [PlannedPart] = []
            for part in step.parts {
                switch part.kind {
                case .number, .padding: numbers.append(part)
                case .count: break
                case .packed(let run):
                    addRun(numbers, plan, to: &body)
                    numbers = []
                    addPacked(run, plan, to: &body)
                case .text:
                    addRun(numbers, plan, to: &body)
                    numbers = []
                    addText(plan.fields[part.field], plan, to: &body)
                }
            }
            addRun(numbers, plan, to: &body)
            if let index = step.content { add(plan.fields[index], plan, to: &body) }
        }
    }

    /// Adds the statement that reads text of fixed width, or verifies one that is always the same.
    private mutating func addText(_ field: PlannedField, _ plan: BodyPlan, to body: inout Body) {
        guard case .text(let text, let byteCount, let padding) = types.description.constant(of: field.description)
        else { return add(field, plan, to: &body) }
        let place = place(field, body)
        let compared = PlannedConstant.comparedBytes(of: text, byteCount: byteCount, padding: padding)
        let next = "B\(field.index + 1)"
        let expected = "<<\(compared.map(String.init).joined(separator: ", "))>>"
        body.bind(
            next, "\(next) = constant_text(\(body.bytes), \(byteCount), \(expected), E, \(place.name), \(place.path))")
    }

    /// Adds the statement that reads a value of variable width, or one that may be absent.
    private mutating func add(_ field: PlannedField, _ plan: BodyPlan, to body: inout Body) {
        let number = field.index + 1
        var value = read(field, from: body)
        if let condition = field.condition {
            let condition = types.condition(condition) { [types, body] operand in
                types.headerVariable(operand) ?? plan.field(operand).flatMap { body.operands[$0.index] } ?? "0"
            }
            value = "case \(condition) of true -> \(value); false -> {undefined, \(body.bytes)} end"
        } else if field.isNullable {
            value = unlessAbsent(field, value, from: body)
        } else if field.isAppended {
            let absent = types.absent(field.description) ?? "undefined"
            value = "case \(body.bytes) of <<>> -> {\(absent), <<>>}; _ -> \(value) end"
        }
        body.bind("B\(number)", "{V\(number), B\(number)} = \(value)")
        if field.type.goesToEnd, field.condition == nil { body.dropRest() }
        if field.isDerived { body.operands[field.index] = "V\(number)" }
        guard field.hasValue else { return }
        body.results.append("V\(number)")
        guard plan.operands.contains(field.index) else { return }
        body.lines.append("N\(number) = \(types.operandNumber(field, "V\(number)", place(field, body)))")
        body.operands[field.index] = "N\(number)"
    }

    /// Returns the expression that reads a field, if its prefix does not say that it is absent.
    private func unlessAbsent(_ field: PlannedField, _ value: String, from body: Body) -> String {
        let (rest, place) = ("R\(field.index + 1)", place(field, body))
        guard let width = field.description.count?.format.fixedByteCount else {
            return "case after_absent(\(body.bytes), E, \(place.name), \(place.path)) of none -> \(value); "
                + "\(rest) -> {undefined, \(rest)} end"
        }
        let ones = "16#" + String(repeating: "F", count: 2 * width)
        return "case \(body.bytes) of <<\(ones):\(8 * width), \(rest)/binary>> -> {undefined, \(rest)}; "
            + "_ -> \(value) end"
    }

    /// Returns an expression whose value is that of a field and the rest of the bytes.
    private mutating func read(_ field: PlannedField, from body: Body) -> String {
        let place = place(field, body)
        guard let source = field.reference.tagSource, case .union(let index) = field.type.content else {
            return read(field.type, field.description, from: body.bytes, place)
        }
        let function = "value_of_\(types.naming.unions[index].type)"
        func call(_ bytes: String, _ end: String) -> String {
            let arguments = [body.operands[source] ?? "0", bytes, end, place.depth, place.name, place.path]
            return "\(function)(\(arguments.joined(separator: ", ")))"
        }
        guard case .sized(_, let extent) = field.type else { return call(body.bytes, "E") }
        return sized(extent, from: body.bytes, place, call)
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
        let segments = zip(parts, fields).map { part, field in
            part.kind.isPadding
                ? "_:\(part.kind.byteCount)/binary" : "X\(field.index + 1)\(types.scalar(field.type)?.reading ?? "")"
        }
        var checks: [String] = []
        for ((part, field), place) in zip(zip(parts, fields), places) where !part.kind.isPadding {
            let variable = "X\(field.index + 1)"
            body.operands[field.index] = variable
            let offset = part.offset - first.offset
            if field.type == .boolean, field.hasValue {
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
            if field.hasValue { body.results.append(converted(field.type, variable)) }
        }
        let next = "B\(last.field + 1)"
        body.bind(next, "<<\(segments.joined(separator: ", ")), \(next)/binary>> = \(bytes)")
        body.lines += checks
    }

    /// Adds the statements that read fields which share bytes; what is wrong with one is told at their first byte.
    private func addPacked(_ run: PlannedRun, _ plan: BodyPlan, to body: inout Body) {
        let fields = run.bits.map { plan.fields[$0.field] }
        guard let first = fields.first, let last = fields.last else { return }
        let bytes = body.bytes
        let start = place(first, body)
        body.lines.append(
            "byte_size(\(bytes)) >= \(run.byteCount) orelse "
                + "cut(\(bytes), \(run.byteCount), E, \(start.name), \(start.path))")
        let segments = run.erlangSegments("X") { types.plan.number(plan.fields[$0].type)?.format.isSigned == true }
        let next = "B\(last.index + 1)"
        if run.isInErlangOrder {
            body.bind(next, "<<\(segments), \(next)/binary>> = \(bytes)")
        } else {
            body.bind(next, "<<\(run.erlangSegment), \(next)/binary>> = \(bytes)")
            body.lines.append("<<\(segments)>> = <<\(run.erlangInteger):\(8 * run.byteCount)>>")
        }
        for field in fields {
            let variable = "X\(field.index + 1)"
            body.operands[field.index] = variable
            if let check = check(field.type, field.description, variable) {
                let path = place(field, body).ownPath
                body.lines.append("\(check.good) orelse fail(\(check.reason), \(path), E - byte_size(\(bytes)))")
            }
            if field.hasValue { body.results.append(converted(field.type, variable)) }
        }
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
            if item.1.type == .boolean, item.1.hasValue { return "{\(name), \(width), fun boolean_byte/1}" }
            let reading = types.scalar(item.1.type)?.reading ?? ""
            return "{\(name), \(width), fun(<<X\(reading)>>) -> \(check.good) orelse \(check.reason) end}"
        }
        return "\(isPlain ? "cut_run" : "cut_checked")([\(items.joined(separator: ", "))], \(bytes), E, \(path))"
    }

    // MARK: Values

    /// Returns an expression whose value is `{Value, Rest}`.
    ///
    /// - Parameter end: The offset at which the bytes end.
    mutating func read(
        _ type: TypeDescription, _ field: FieldDescription?, from bytes: String, end: String = "E", _ place: ErlangPlace
    ) -> String {
        let arguments = "\(end), \(place.name), \(place.path)"
        switch type {
        case .digits(let byteCount): return "digits(\(bytes), \(byteCount), \(arguments))"
        case .string(let extent): return text("text", extent, field, bytes, arguments)
        case .utf16(let extent, let order): return utf16(extent, order, field, bytes, arguments)
        case .bytes(let extent): return text("bytes", extent, field, bytes, arguments)
        case .varint(let format):
            let value = "\(format.erlangReading)(\(bytes), \(format.maximumByteCount), \(arguments))"
            guard let range = field?.range else { return value }
            let (low, high) = (ErlangTypes.number(range.lowerBound), ErlangTypes.number(range.upperBound))
            return "within(\(value), \(low), \(high), \(bytes), \(arguments))"
        case .properties(let isStrict): return "properties(\(bytes), \(isStrict ? "strict" : "lenient"), \(arguments))"
        case .structure(let index):
            let name = types.naming.structures[index].name
            return "read_\(name)(\(bytes), \(end), \(place.depth), \(place.name), \(place.path))"
        case .union(let index):
            let name = types.naming.unions[index].type
            return "read_\(name)(\(bytes), \(end), \(place.depth), \(place.name), \(place.path))"
        case .fixedList(let element, let count):
            addCounted(element)
            let counted = "{\(count), \(bytes)}"
            return "\(types.listName(element))(\(counted), \(end), \(place.depth), \(place.name), \(place.path))"
        case .list(let element, .field(let count)):
            addCounted(element)
            let counted = counted(by: count, field, bytes, arguments)
            return "\(types.listName(element))(\(counted), \(end), \(place.depth), \(place.name), \(place.path))"
        case .list(let element, .counted(let format, let order)):
            addCounted(element)
            let count = counted(format, order, field, bytes, arguments)
            return "\(types.listName(element))(\(count), \(end), \(place.depth), \(place.name), \(place.path))"
        case .list(let element, let extent):
            let maximum = field?.maximumCount.map(String.init) ?? "infinity"
            let name = addTail(element, until: extent.terminator)
            return "\(name)(\(bytes), 0, \(maximum), [], \(end), \(place.depth), \(place.ownPath))"
        case .sized(let content, let extent): return readSized(content, extent, field, from: bytes, place)
        default: return readScalar(type, field, from: bytes, place)
        }
    }

    /// Returns an expression that reads a value inside a number of bytes.
    private mutating func readSized(
        _ content: TypeDescription, _ extent: TypeDescription.Extent, _ field: FieldDescription?,
        from bytes: String, _ place: ErlangPlace
    ) -> String {
        let (inner, end) = Self.sizedBytes(place)
        let value = read(content, field, from: inner, end: end, place)
        return sized(extent, from: bytes, place) { _, _ in value }
    }

    /// Returns the variables of the bytes that a value stands inside, and of the bytes after them as their end.
    private static func sizedBytes(_ place: ErlangPlace) -> (inner: String, end: String) {
        // Other names than those to which the caller binds the result: a variable of Erlang has one value.
        ("Y\(place.number)", "E - byte_size(T\(place.number))")
    }

    /// Returns an expression that reads what stands inside a number of bytes.
    ///
    /// - Parameter read: Returns the expression for the value, from the variable of its bytes and their end.
    private func sized(
        _ extent: TypeDescription.Extent, from bytes: String, _ place: ErlangPlace,
        _ read: (_ bytes: String, _ end: String) -> String
    ) -> String {
        let (rest, value) = ("T\(place.number)", "W\(place.number)")
        let (inner, end) = Self.sizedBytes(place)
        let body = text("bytes", extent, nil, bytes, "E, \(place.name), \(place.path)")
        // What a structure leaves is skipped; other values leave nothing.
        return "case \(body) of {\(inner), \(rest)} -> {\(value), _} = \(read(inner, end)), {\(value), \(rest)} end"
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
        case .rest, .until: "rest_\(kind)(\(bytes), \(maximum), \(end))"
        case .fixed(let byteCount, let padding): "fixed_\(kind)(\(bytes), \(byteCount), \(padding), \(end))"
        case .exact(let byteCount): "\(kind)({\(byteCount), \(bytes)}, \(end))"
        case .field(let count): "\(kind)(\(counted(by: count, field, bytes, end)), \(end))"
        }
    }

    private func utf16(
        _ extent: TypeDescription.Extent, _ order: ByteOrder, _ field: FieldDescription?, _ bytes: String, _ end: String
    ) -> String {
        let maximum = field?.maximumCount.map(String.init) ?? "infinity"
        let order = order.erlangName
        return switch extent {
        case .counted(let format, let prefixOrder):
            "utf16_text(\(counted(format, prefixOrder, field, bytes, end)), \(order), \(end))"
        case .terminated: "terminated_utf16(\(bytes), \(maximum), \(order), \(end))"
        case .rest, .field, .until: "rest_utf16(\(bytes), \(maximum), \(order), \(end))"
        case .fixed(let byteCount, let padding): "fixed_utf16(\(bytes), \(byteCount), \(padding), \(order), \(end))"
        case .exact(let byteCount): "utf16_text({\(byteCount / 2), \(bytes)}, \(order), \(end))"
        }
    }

    private func counted(
        _ format: CountFormat, _ order: ByteOrder, _ field: FieldDescription?, _ bytes: String, _ end: String
    ) -> String {
        let maximum = field?.maximumCount.map(String.init) ?? "infinity"
        return "count_\(ErlangTypes.name(format, order))(\(bytes), \(maximum), \(end))"
    }

    /// Returns an expression for the number of items or bytes that an earlier field says, and the bytes.
    private func counted(
        by count: FieldCount, _ field: FieldDescription?, _ bytes: String, _ end: String
    ) -> String {
        let maximum = field?.maximumCount.map(String.init) ?? "infinity"
        let sign = count.addend < 0 ? " - " : " + "
        let number = (counters[count.field] ?? "0") + (count.addend == 0 ? "" : sign + String(count.addend.magnitude))
        return "field_count(\(number), \(maximum), \(bytes), \(end))"
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

    /// Adds a function that reads items up to the end of the bytes, or to a byte that ends the list.
    ///
    /// - Returns: Its name.
    private mutating func addTail(_ element: TypeDescription, until terminator: UInt8?) -> String {
        let name = (terminator.map { "until_\($0)_" } ?? "tail_") + types.listName(element)
        guard lists.insert(name).inserted else { return name }
        let value = read(element, nil, from: "B", Self.item)
        let ends =
            terminator.map { byte in
                """
                \(name)(<<\(byte), R/binary>>, _, _, A, _, _, _) -> {lists:reverse(A), R};
                \(name)(<<>>, _, _, _, E, _, P) -> fail({truncated, 1, 0}, P, E);
                """
            } ?? "\(name)(<<>>, _, _, A, _, _, _) -> {lists:reverse(A), <<>>};"
        functions.append(
            """
            \(ends)
            \(name)(B, I, Max, A, E, D, P) ->
                I < Max orelse fail({too_long, I + 1, Max}, P, E - byte_size(B)),
                {V, R} = \(value),
                \(name)(R, I + 1, Max, [V | A], E, D, P).

            """)
        return name
    }
}
