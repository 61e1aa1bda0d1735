// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension SchemaComparison {
    /// The most conditions that are made to hold together: all their combinations are tried.
    private static let joinedConditionLimit = 4
    /// The most choices: each of them is tried with every hint.
    private static let operandChoiceLimit = 32

    /// Returns choices for both outcomes of the conditions of some messages and structures.
    ///
    /// A change may show its damage only if other fields are present, or absent. With the first choice as many
    /// conditions as possible hold.
    func operandChoices(of owners: [OwnerPair], for reader: SchemaVersion) -> [OperandValues] {
        var joined = OperandValues()
        var single: [OperandValues] = []
        for pair in owners {
            let (written, read) = reader == .new ? (pair.old, pair.new) : (pair.new, pair.old)
            let writer = description(of: reader.peer)
            let conditions = conditions(writer.fields(of: written) + description(of: reader).fields(of: read))
            guard let first = conditions.first else { continue }
            let all = conditions.prefix(Self.joinedConditionLimit).dropFirst().reduce(first) { .and($0, $1) }
            if let choice = writer.operandValues(for: all, in: written, { $0.bothWays() }).first {
                joined.merge(choice)
            }
            single += conditions.flatMap { writer.operandValues(for: $0, in: written) { $0.bothWays() } }
        }
        return joined.isEmpty ? [] : [joined] + single.prefix(Self.operandChoiceLimit - 1)
    }

    /// Returns the reader's name for a packet field of the writer.
    ///
    /// If both headers have as many fields, it is the field at the same position.
    func packetFieldName(_ name: String, for reader: SchemaVersion) -> String {
        let (written, read) = (description(of: reader.peer).layout.fields, description(of: reader).layout.fields)
        guard written.count == read.count, let index = written.firstIndex(where: { $0.name == name }) else {
            return name
        }
        return read[index].name
    }

    private func conditions(_ fields: [FieldDescription]) -> [WireCondition] {
        fields.compactMap(\.presence.condition).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
