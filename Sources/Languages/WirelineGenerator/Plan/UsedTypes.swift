// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// The types that messages reach. Compilers would warn about unused functions for other types.
struct UsedTypes: Sendable {
    private(set) var structures: Set<Int> = []
    private(set) var unions: [Int: UnionPlan.TagPlaces] = [:]

    init(_ description: ProtocolDescription) {
        var waiting = description.messages.flatMap { Self.types($0.fields) }
        while let (type, place) = waiting.popLast() {
            switch type.leaf {
            case .structure(let index):
                guard structures.insert(index).inserted else { continue }
                waiting += Self.types(description.structures[index].fields)
            case .union(let index):
                let isNew = unions[index] == nil
                unions[index, default: []].insert(place)
                if isNew { waiting += Self.types(description.unions[index].fields) }
            default: break
            }
        }
    }

    private static func types(_ fields: [FieldDescription]) -> [(TypeDescription, UnionPlan.TagPlaces)] {
        fields.filter(\.hasValue).map { ($0.type, $0.tagField == nil ? .before : .elsewhere) }
    }
}
