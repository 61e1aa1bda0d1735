// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The fields of a message, a structure or the arms of a union.
enum FieldListKey: Hashable {
    case message(Int)
    case structure(Int)
    case union(Int)

    /// The declared type; nil for a message.
    var type: TypeDescription? {
        switch self {
        case .message: nil
        case .structure(let index): .structure(index)
        case .union(let index): .union(index)
        }
    }
}

struct FieldKey: Hashable {
    var owner: FieldListKey
    var index: Int
}

/// Numbers for operands of conditions.
struct OperandValues {
    var fields: [FieldKey: JSONValue] = [:]
    var header = PacketHeader()

    var isEmpty: Bool { fields.isEmpty && header.fields.isEmpty }

    /// Adds numbers; they replace existing ones.
    mutating func merge(_ other: OperandValues) {
        fields.merge(other.fields) { _, new in new }
        for (name, value) in other.header.fields { header[value: name] = value }
    }
}

extension ProtocolDescription {
    func fields(of owner: FieldListKey) -> [FieldDescription] {
        switch owner {
        case .message(let index): messages[index].fields
        case .structure(let index): structures[index].fields
        case .union(let index): unions[index].fields
        }
    }
}
