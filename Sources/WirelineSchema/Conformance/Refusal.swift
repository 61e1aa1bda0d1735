// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// Why an implementation refuses bytes or a value, as far as it says.
package struct Refusal: Equatable, Sendable {
    /// What is wrong in one word: `truncated`, `invalid_utf8`, …
    package var kind: String?
    /// The field, from the message's name inwards: `Cs_20001.Line`.
    package var field: String?
    /// Bytes from the first of the packet.
    package var offset: Int?

    package init(kind: String? = nil, field: String? = nil, offset: Int? = nil) {
        self.kind = kind
        self.field = field
        self.offset = offset
    }

    /// What this project's codec says of bytes.
    package init(_ error: CodecError) {
        self.init(kind: error.reason.kind, field: error.path.isEmpty ? nil : error.path, offset: error.offset)
    }

    /// What it says of a value that cannot be written; there are no bytes yet, and so no offset.
    package init(_ error: TranslationError) {
        self.init(kind: error.reason.kind, field: error.path.isEmpty ? nil : error.path)
    }

    /// What another says that is not so; nil where everything it says is right.
    ///
    /// - Parameter isStrict: Whether what it leaves unsaid is wrong too.
    package func fault(of other: Refusal, isStrict: Bool) -> String? {
        fault("error", kind, other.kind, isStrict) ?? fault("field", field, other.field, isStrict)
            ?? fault("offset", offset.map(String.init), other.offset.map(String.init), isStrict)
    }

    private func fault(_ name: String, _ expected: String?, _ found: String?, _ isStrict: Bool) -> String? {
        guard found != nil || isStrict else { return nil }
        let isSame = expected.map { $0.hasSameBytes(as: found ?? "") && found != nil } ?? (found == nil)
        return isSame ? nil : "the \(name) is \(found ?? "not said") where \(expected ?? "none") was expected"
    }

    /// As it stands in a file and in a reply; only what is known.
    package var json: JSONValue {
        var members: [JSONValue.Member] = []
        if let kind { members.append(.init("error", .string(kind))) }
        if let field { members.append(.init("field", .string(field))) }
        if let offset { members.append(.init("offset", .integer(Int128(offset)))) }
        return .object(members)
    }

    /// Reads what ``json`` makes; other members are passed over.
    ///
    /// - Returns: nil for what is not an object, or has a member of the wrong kind.
    package init?(_ json: JSONValue) {
        guard case .object = json else { return nil }
        self.init()
        switch json["error"] {
        case .string(let text)?: kind = text
        case nil, .null?: break
        default: return nil
        }
        switch json["field"] {
        case .string(let text)?: field = text
        case nil, .null?: break
        default: return nil
        }
        switch json["offset"] {
        case .number(let number)?:
            guard let value = number.integer, let offset = Int(exactly: value) else { return nil }
            self.offset = offset
        case nil, .null?: break
        default: return nil
        }
    }
}
