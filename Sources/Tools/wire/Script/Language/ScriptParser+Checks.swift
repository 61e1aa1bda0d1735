// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension ScriptParser {
    // MARK: Types

    func type(of expression: Script.Expression) -> ScriptType {
        switch expression.kind {
        case .literal(let value): return value.scriptKind.map { .kind($0) } ?? .unknown
        case .array: return .kind(.list)
        case .object: return .kind(.object)
        case .request: return .messages(scope.messages ?? [])
        case .header: return .header
        case .connection, .count, .random, .size, .right, .negative, .messageID: return .kind(.number)
        // The name of an unknown message is null, so its type is not known.
        case .messageName, .variable: return .unknown
        case .not: return .kind(.boolean)
        case .member(let object, let name, _):
            return members(of: type(of: object))?.first { $0.name == name }?.type ?? .unknown
        case .item(let list, _, _): return type(of: list).item
        case .operation(let operation, let left, let right):
            switch operation.precedence {
            case 1, 2, 3: return .kind(.boolean)
            default: break
            }
            guard operation == .plus else { return .kind(.number) }
            let kinds = [type(of: left).kind, type(of: right).kind]
            if kinds.contains(.string) { return .kind(.string) }
            return kinds.allSatisfy { $0 == .number } ? .kind(.number) : .unknown
        }
    }

    /// Returns the names and types of a type's members; nil if they are not known.
    func members(of type: ScriptType) -> [(name: String, type: ScriptType)]? {
        func fields(_ list: [FieldDescription]) -> [(name: String, type: ScriptType)] {
            list.filter(\.hasValue).map { ($0.name, .field($0.type)) }
        }
        switch type {
        case .header:
            return description.layout.fields.enumerated().filter { $0.element.role != .padding }.map { index, field in
                let type = description.packetFieldType(index).map { ScriptType.field($0) }
                let isText = !field.format.isNumber
                return (field.name, type ?? .kind(isText ? .string : field.format.isBoolean ? .boolean : .number))
            }
        case .field(.structure(let index)): return fields(description.structures[index].fields)
        case .field(.union(let index)):
            return description.unions[index].arms.map { arm in
                let isKnown = arm.tag != nil && arm.field != nil
                return (arm.name, isKnown ? arm.field.map { .field($0.type) } ?? .unknown : .unknown)
            }
        case .messages(let messages):
            guard let first = messages.first else { return nil }
            // A rule for several messages can use only the fields that all of them have.
            return fields(description.messages[first].fields).compactMap { field in
                for other in messages.dropFirst() {
                    let match = description.messages[other].fields.first { $0.hasValue && $0.name == field.name }
                    guard let match else { return nil }
                    if ScriptType.field(match.type).kind != field.type.kind { return (field.name, .unknown) }
                }
                return field
            }
        case .field(.properties), .unknown, .kind(.object): return nil
        default: return []
        }
    }

    /// Reports an expression whose kind is known and is not the required one.
    func require(_ kind: ScriptType.Kind, _ expression: Script.Expression) throws(Fault) {
        guard let actual = type(of: expression).kind, actual != kind else { return }
        throw fault("this is \(actual.rawValue), where \(kind.rawValue) is needed", at: expression.span)
    }

    /// Reports operands whose kinds are known and do not support the operation.
    func check(
        _ operation: Script.Operator, _ left: Script.Expression, _ right: Script.Expression, _ mark: ScriptToken
    ) throws(Fault) {
        let kinds = (type(of: left).kind, type(of: right).kind)
        switch operation {
        case .or, .and:
            try require(.boolean, left)
            try require(.boolean, right)
        case .equal, .unequal:
            try checkName(left, comparedWith: right)
            try checkName(right, comparedWith: left)
            guard let one = kinds.0, let other = kinds.1, one != other, one != .null, other != .null else { return }
            throw fault("\(one.rawValue) is never equal to \(other.rawValue)", at: mark.span)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if kinds.0 == .string || kinds.1 == .string {
                try require(.string, left)
                return try require(.string, right)
            }
            try require(.number, left)
            try require(.number, right)
        case .plus where kinds.0 == .string || kinds.1 == .string:
            for operand in [left, right] where [.list, .object].contains(type(of: operand).kind) {
                throw fault("only a number, true or false can be put to a text", at: operand.span)
            }
        case .plus, .minus, .times, .dividedBy, .remainder:
            try require(.number, left)
            try require(.number, right)
        }
    }

    private func checkName(_ name: Script.Expression, comparedWith field: Script.Expression) throws(Fault) {
        guard case .literal(.string(let text)) = name.kind,
            case .field(.enumeration(let index, _)) = type(of: field)
        else { return }
        let names = description.enumerations[index].cases.map(\.name)
        guard !names.contains(text) else { return }
        throw fault(
            "`\(description.enumerations[index].name)` has no \(text.quoted)", at: name.span,
            help: Spelling.help(for: text, among: names) ?? "it has \(names.prefix(8).joined(separator: ", "))")
    }

    // MARK: Messages to send

    /// Reports unknown fields, missing fields, and values that do not fit.
    ///
    /// - Parameter header: The header fields that the script sets. A field of the message can depend on them.
    func check(
        _ fields: Script.Expression, of message: Int, _ header: [(name: String, value: Script.Expression)],
        named name: SourceSpan
    ) {
        let message = description.messages[message]
        let problemCount = reporter.count
        let sample = sample(fields, message.fields)
        guard reporter.count == problemCount else { return }
        do throws(TranslationError) {
            // If a value is known only at run time, whether a field that depends on it must be set is not known.
            let known = knownHeader(header)
            let isKnown =
                hasKnownOperands(fields, message.fields)
                && header.allSatisfy { known[value: $0.name] != nil || !message.looksAtHeader }
            try translator.check(message: message.name, fields: sample, header: known, checksPresence: isKnown)
        } catch {
            report(error, in: fields, of: message.name, named: name)
        }
    }

    private func knownHeader(_ header: [(name: String, value: Script.Expression)]) -> PacketHeader {
        var known = PacketHeader()
        for (name, expression) in header {
            guard let field = description.packetField(named: name), let json = constant(expression) else { continue }
            known[value: name] = try? translator.value(of: json, inPacketField: field)
        }
        return known
    }

    /// Returns whether the script contains the values of all fields that other fields depend on.
    private func hasKnownOperands(_ expression: Script.Expression, _ fields: [FieldDescription]) -> Bool {
        guard case .object(let members) = expression.kind else { return true }
        let operands = fields.compactMap(\.presence.condition).flatMap(\.operands)
        return members.allSatisfy { member in
            if operands.contains(.field(member.name)), !isConstant(member.value) { return false }
            guard let type = fields.first(where: { $0.name == member.name })?.type else { return true }
            return hasKnownOperands(member.value, type)
        }
    }

    private func hasKnownOperands(_ expression: Script.Expression, _ type: TypeDescription) -> Bool {
        switch (expression.kind, type) {
        case (_, .structure(let index)): hasKnownOperands(expression, description.structures[index].fields)
        case (_, .union(let index)): hasKnownOperands(expression, description.unions[index].fields)
        case (_, .sized(let content, _)): hasKnownOperands(expression, content)
        case (.array(let items), .list(let element, _)), (.array(let items), .fixedList(let element, _)):
            items.allSatisfy { hasKnownOperands($0, element) }
        default: true
        }
    }

    /// Whether the value is known before the script runs.
    private func isConstant(_ expression: Script.Expression) -> Bool {
        switch expression.kind {
        case .literal: true
        case .negative(let operand): isConstant(operand)
        case .array(let items): items.allSatisfy(isConstant)
        default: false
        }
    }

    /// Returns an object for the encoder to check. Values that are not known yet are replaced by samples.
    private func sample(_ expression: Script.Expression, _ fields: [FieldDescription]) -> JSONValue {
        guard case .object(let members) = expression.kind else { return .null }
        return .object(
            members.map { member in
                guard let field = fields.first(where: { $0.hasValue && $0.name == member.name }) else {
                    return JSONValue.Member(member.name, .null)
                }
                return JSONValue.Member(member.name, sample(member.value, field.type, of: field))
            })
    }

    private func sample(
        _ expression: Script.Expression, _ type: TypeDescription, of field: FieldDescription
    ) -> JSONValue {
        switch (expression.kind, type) {
        case (.literal(let value), _): return value
        case (.negative(let operand), _):
            if case .literal(.number(let number)) = operand.kind, let negative = number.negated {
                return .number(negative)
            }
        case (.object, .structure(let index)): return sample(expression, description.structures[index].fields)
        case (.object, .sized(let content, _)), (.array, .sized(let content, _)):
            return sample(expression, content, of: field)
        case (.object(let members), .union(let index)): return sample(members, description.unions[index])
        case (.object(let members), .properties):
            return .object(members.map { JSONValue.Member($0.name, constant($0.value) ?? "") })
        case (.array(let items), .list(let element, _)), (.array(let items), .fixedList(let element, _)):
            return .array(items.map { sample($0, element, of: field) })
        case (.array(let items), .flags): return .array(items.compactMap(constant))
        default: break
        }
        // The encoder reports an object or an array that is not allowed here.
        switch expression.kind {
        case .object: return .object([])
        case .array: return .array([])
        default: break
        }
        if let actual = self.type(of: expression).kind, let needed = ScriptType.kind(of: type), actual != needed,
            !(actual == .null && field.presence.mayBeUnset)
        {
            reporter.error(
                "this is \(actual.rawValue), where `\(field.name)` needs \(needed.rawValue)", at: expression.span)
        }
        return translator.sample(of: type == field.type ? field : FieldDescription(item: type, of: field))
    }

    /// Returns a union's object for the encoder to check, with samples for values that are not known yet.
    private func sample(
        _ members: [Script.Expression.Member], _ union: UnionDescription
    ) -> JSONValue {
        .object(
            members.map { member in
                guard let arm = union.arms.first(where: { $0.name == member.name }), let field = arm.field else {
                    return JSONValue.Member(member.name, constant(member.value) ?? .null)
                }
                guard arm.tag == nil, case .object(let parts) = member.value.kind else {
                    return JSONValue.Member(member.name, sample(member.value, field.type, of: field))
                }
                let kept = parts.map { part in
                    let tag = FieldDescription(name: part.name, type: union.tag, location: union.location)
                    let field = part.name == "tag" ? tag : field
                    return JSONValue.Member(part.name, sample(part.value, field.type, of: field))
                }
                return JSONValue.Member(member.name, .object(kept))
            })
    }

    private func constant(_ expression: Script.Expression) -> JSONValue? {
        if case .literal(let value) = expression.kind { value } else { nil }
    }

    private func report(
        _ error: TranslationError, in fields: Script.Expression, of message: String, named name: SourceSpan
    ) {
        var place = fields
        var isOutermost = true
        for step in Self.steps(of: error.path.dropFirst(message.count)) {
            switch (place.kind, Int(step)) {
            case (.array(let items), let index?) where items.indices.contains(index): place = items[index]
            case (.object(let members), _):
                guard let member = members.first(where: { $0.name == step }) else { break }
                place = member.value
            default: break
            }
            isOutermost = false
        }
        var span = isOutermost || place.span == fields.span ? name : place.span
        if case .unknownKey(let key, _) = error.reason, case .object(let members) = place.kind,
            let member = members.first(where: { $0.name == key })
        {
            span = member.span
        }
        reporter.error("\(error)", at: span)
    }

    /// Returns the names and indices in a path such as `.items[1].count`.
    private static func steps(of path: Substring) -> [String] {
        path.split { ".[]".contains($0) }.map(String.init)
    }

    // MARK: Headers

    /// The kind of values that a script gives to fields of the header.
    enum HeaderValues {
        /// Correct values, for fields that a program can set.
        case right
        /// Correct values for a packet that carries other packets. Its ID can be set, too.
        case ofBundle
        /// Wrong values, for numbers outside all layers.
        case wrong
    }

    /// Parses an object such as `{ Version: 2 }` after `header` or `wrong`.
    mutating func parseHeader(_ values: HeaderValues) throws(Fault) -> [(name: String, value: Script.Expression)] {
        let isWrong = values == .wrong
        scope.hasRight = isWrong
        defer { scope.hasRight = false }
        let members = try parseMembers("field of the header")
        let fields = description.layout.fields
        for member in members {
            guard let index = fields.firstIndex(where: { $0.name == member.name }) else {
                let names = fields.filter { isWrong && $0.role != .padding || $0.isSettable }.map(\.name)
                throw fault(
                    "the header has no \(member.name.quoted)", at: member.span,
                    help: Spelling.help(for: member.name, among: names)
                        ?? (names.isEmpty ? nil : "there is \(names.joined(separator: ", "))"))
            }
            let isID = values == .ofBundle && fields[index].role == .messageID
            guard isWrong || isID || fields[index].isSettable else {
                throw fault(
                    "\(member.name.quoted) is computed", at: member.span,
                    help: "to send a wrong one, write `wrong` in place of `header`")
            }
            guard !isWrong || fields[index].format.isNumber else {
                throw fault("\(member.name.quoted) has no wrong values", at: member.span, help: "`wrong` takes numbers")
            }
            guard !isWrong || description.layout.isOutsideLayers(index) else {
                throw fault("\(member.name.quoted) is inside of a layer", at: member.span)
            }
            try check(member.value, ofPacketField: index)
        }
        return members.map { ($0.name, $0.value) }
    }

    private func check(_ value: Script.Expression, ofPacketField index: Int) throws(Fault) {
        let field = description.layout.fields[index]
        if description.packetFieldType(index) != nil || !field.format.isNumber {
            if !field.format.isNumber { try require(.string, value) }
            guard let json = constant(value) else { return }
            do throws(TranslationError) {
                _ = try translator.value(of: json, inPacketField: index)
                return
            } catch {
                throw fault("\(error)", at: value.span)
            }
        }
        guard type(of: value).kind != .boolean || !field.format.isBoolean else { return }
        try require(.number, value)
        guard case .literal(let literal) = value.kind, case .number(let number) = literal else { return }
        let range = field.format.range
        guard let integer = number.integer, range.contains(integer) else {
            throw fault(
                "\(number.text) is not in \(range.lowerBound)...\(range.upperBound)", at: value.span)
        }
    }
}

// MARK: States

extension ScriptParser {
    /// Reports a known value that the state cannot have.
    func check(_ value: Script.Expression, ofState name: String) throws(Fault) {
        guard let json = constant(value) else { return }
        do throws(StateTextError) {
            _ = try description.number(ofState: name, json: json)
        } catch {
            throw fault("\(error)", at: value.span)
        }
    }
}

extension PacketLayout {
    fileprivate func isOutsideLayers(_ index: Int) -> Bool {
        index >= header.count || index < content.layers.first?.fieldCount ?? .max
    }
}

extension FieldDescription {
    /// Makes the field for an item of a list. The item has its own type and the range of the list.
    fileprivate init(item type: TypeDescription, of list: FieldDescription) {
        self = list
        self.type = type
        presence = .required
    }
}
