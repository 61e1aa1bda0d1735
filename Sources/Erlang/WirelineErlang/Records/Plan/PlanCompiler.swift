// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

struct PlanCompiler {
    let description: ProtocolDescription
    let coding: CodingPlan
    let naming: ErlangNaming
    let enumerations: [NameTable]
    let flagSets: [NameTable]

    init(_ description: ProtocolDescription) {
        self.description = description
        coding = CodingPlan(description)
        let naming = ErlangNaming(description)
        self.naming = naming
        enumerations = zip(description.enumerations, naming.enumerations).map {
            NameTable($0.format, $0.cases, $1.cases, isClosed: $0.isClosed)
        }
        flagSets = zip(description.flagSets, naming.flagSets).map {
            NameTable($0.format, $0.cases, $1.cases, isClosed: false)
        }
    }

    func form(of type: TypeDescription) -> ValueForm {
        switch type {
        case .integer(let format, let order): .integer(format, order)
        case .varint(let format): .varint(format)
        case .float(let format, let order): .float(format, order)
        case .boolean, .bit: .boolean
        case .enumeration(let index, let order): .enumeration(enumerations[index], order)
        case .flags(let index, let order): .flags(flagSets[index], order)
        case .string(let extent): .string(ValueForm.Extent(extent))
        case .bytes(let extent): .bytes(ValueForm.Extent(extent))
        case .utf16(let extent, let order): .utf16(ValueForm.Extent(extent), order)
        case .digits(let format): .digits(format)
        case .properties(let isStrict): .properties(isStrict: isStrict)
        case .structure(let index): .structure(index)
        case .union(let index): .union(index)
        case .list(let element, let extent): .list(item(element), ValueForm.Extent(extent))
        case .fixedList(let element, let count): .fixedList(item(element), count: count)
        case .sized(let content, let extent): .sized(item(content), ValueForm.Extent(extent))
        }
    }

    private func item(_ type: TypeDescription) -> ItemForm {
        ItemForm(form(of: type), minimumByteCount: coding.itemByteCount(of: type), goesToEnd: type.goesToEnd)
    }

    func fields(of body: BodyPlan) -> [RecordField] {
        body.fields.map { field in
            let type = field.type
            let count = type.fieldCount.flatMap { count in
                body.fields.firstIndex { $0.description.name == count.field }.map {
                    RecordField.Count(source: $0, addend: count.addend, range: count.range)
                }
            }
            return RecordField(
                field, form(of: type), role: role(of: field), presence: presence(of: field, in: body), count: count,
                keepsNumber: field.isDerived || body.operands.contains(field.index))
        }
    }

    private func role(of field: PlannedField) -> RecordField.Role {
        if let user = field.reference.user { return .tag(user) }
        switch field.description.role {
        case .value: return .value
        case .derived: return .counter
        case .padding, .constant:
            return .filler(
                description.constant(of: field.description), byteCount: coding.fixedByteCount(of: field.type) ?? 0)
        }
    }

    private func presence(of field: PlannedField, in body: BodyPlan) -> RecordField.Presence {
        switch field.description.presence {
        case .required: .required
        case .optional: .appended(absent: ErlangTermWriter.encoded(atom: "undefined"), isOptional: true)
        case .since: .appended(absent: defaultTerm(of: field.description), isOptional: false)
        case .when(let condition):
            .conditional(
                FieldCondition(condition) { name in body.fields.firstIndex { $0.description.name == name } })
        case .nullable: .nullable
        }
    }
}
