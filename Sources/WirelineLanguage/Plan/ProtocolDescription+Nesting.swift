// SPDX-License-Identifier: Apache-2.0

extension ProtocolDescription {
    /// Returns the structures that messages reach and that could nest more deeply than `max_depth`.
    func structuresCountingDepth() -> Set<Int> {
        let graph = StructureGraph(anywhereIn: self)
        let depths = graph.depths()
        let roots = messages.map { $0.fields.compactMap(\.type.innermostStructure) }
            .filter { $0.contains { depths[$0] > options.maximumDepth } }
        return Set(graph.reached(from: roots.flatMap(\.self)))
    }

    /// Returns the structures that the zero value of a `@since` field contains.
    func structuresNeedingZero() -> Set<Int> {
        let fields = messages.flatMap(\.fields) + structures.flatMap(\.fields)
        let defaulted = fields.compactMap { field in
            if case .since(_, default: .zero) = field.presence { field.type.structureByValue } else { nil }
        }
        return Set(StructureGraph(byValueIn: self).reached(from: defaulted))
    }

    /// Returns the structures that are items of a list whose number of items is known before the first item.
    func structuresInCountedLists() -> Set<Int> {
        var result: Set<Int> = []
        for field in messages.flatMap(\.fields) + structures.flatMap(\.fields) {
            switch field.type {
            case .list(.structure(let index), .counted), .fixedList(.structure(let index), _): result.insert(index)
            default: break
            }
        }
        return result
    }
}
