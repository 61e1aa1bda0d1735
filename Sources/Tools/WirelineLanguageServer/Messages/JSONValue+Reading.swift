// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension JSONValue {
    /// The string; nil if this is something else.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The whole number, if it fits; nil if this is something else.
    var wholeNumber: Int? {
        if case .number(let number) = self { number.integer.flatMap { Int(exactly: $0) } } else { nil }
    }

    /// Whether this is `true`.
    var isTrue: Bool { self == .boolean(true) }

    /// The items; nil if this is no array.
    var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

    /// Returns the value at the end of a path of members; nil if there is none.
    func at(_ path: String...) -> JSONValue? {
        path.reduce(Optional(self)) { value, name in value?[name] }
    }

    /// Returns the string of a member.
    func requiredText(_ name: String) throws(RPCError) -> String {
        guard let text = self[name]?.text else { throw RPCError(.invalidParams, "`\(name)` is not a string") }
        return text
    }
}
