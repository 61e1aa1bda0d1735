// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension JSONValue {
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The value as an integer; nil if it is not a whole number or does not fit.
    var wholeNumber: Int? {
        if case .number(let number) = self { number.integer.flatMap { Int(exactly: $0) } } else { nil }
    }

    var isTrue: Bool { self == .boolean(true) }

    var items: [JSONValue]? { if case .array(let items) = self { items } else { nil } }

    /// Returns the value at the end of a path of member names; nil if there is none.
    func at(_ path: String...) -> JSONValue? {
        path.reduce(Optional(self)) { value, name in value?[name] }
    }

    /// - Throws: `invalidParams` if the member is missing or is not a string.
    func requiredText(_ name: String) throws(RPCError) -> String {
        guard let text = self[name]?.text else { throw RPCError(.invalidParams, "`\(name)` is not a string") }
        return text
    }
}
