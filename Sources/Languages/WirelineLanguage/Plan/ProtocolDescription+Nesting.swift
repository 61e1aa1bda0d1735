// SPDX-License-Identifier: Apache-2.0

extension ProtocolDescription {
    /// Returns the bodies of structures and unions that messages reach and that could nest more deeply than
    /// `max_depth`.
    func bodiesCountingDepth() -> Set<Int> {
        let graph = StructureGraph(anywhereIn: self)
        let depths = graph.depths()
        let roots = messages.map { $0.fields.compactMap { innermostBody(of: $0.type) } }
            .filter { $0.contains { depths[$0] > options.maximumDepth } }
        return Set(graph.reached(from: roots.flatMap(\.self)))
    }

    /// Returns the structures in the zero value of a `@since` field.
    func structuresNeedingZero() -> Set<Int> {
        let defaulted = allFields.compactMap { field in
            if case .since(_, default: .zero) = field.presence { bodyByValue(of: field.type) } else { nil }
        }
        // An optional field can lead to a union, which has no zero.
        return Set(StructureGraph(byValueIn: self).reached(from: defaulted).filter { $0 < structures.count })
    }

    /// Returns the places of each union's tags; before the value if no field is a union.
    func tagPlaces() -> [UnionPlan.TagPlaces] {
        var places: [UnionPlan.TagPlaces] = Array(repeating: [], count: unions.count)
        for field in allFields {
            guard case .union(let index) = field.type.leaf else { continue }
            places[index].insert(field.tagField == nil ? .before : .elsewhere)
        }
        return places.map { $0.isEmpty ? .before : $0 }
    }

    /// Returns the structures in lists whose number of items is known before the first item.
    func structuresInCountedLists() -> Set<Int> {
        var result: Set<Int> = []
        for field in allFields {
            switch field.type {
            case .list(.structure(let index), .counted), .list(.structure(let index), .field),
                .fixedList(.structure(let index), _):
                result.insert(index)
            default: break
            }
        }
        return result
    }
}
