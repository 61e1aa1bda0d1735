// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// The fields of a message or a structure.
enum FieldListKey: Hashable {
    case message(Int)
    case structure(Int)
}

/// A field of one version.
struct FieldKey: Hashable {
    var owner: FieldListKey
    var index: Int
}

extension ProtocolDescription {
    func fields(of owner: FieldListKey) -> [FieldDescription] {
        switch owner {
        case .message(let index): messages[index].fields
        case .structure(let index): structures[index].fields
        }
    }
}
