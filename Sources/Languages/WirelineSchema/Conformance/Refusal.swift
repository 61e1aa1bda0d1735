// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// Why an implementation refuses bytes or a value, with the details that it gives.
package struct Refusal: Equatable, Sendable {
    /// The fault in one word, such as `truncated` or `invalid_utf8`.
    package var kind: String?
    /// The field, from the message's name inwards: `Cs_20001.Line`.
    package var field: String?
    /// The offset in bytes from the packet's first.
    package var offset: Int?

    package init(kind: String? = nil, field: String? = nil, offset: Int? = nil) {
        self.kind = kind
        self.field = field
        self.offset = offset
    }

    package init(_ error: CodecError) {
        self.init(kind: error.reason.kind, field: error.path.isEmpty ? nil : error.path, offset: error.offset)
    }

    /// Makes the refusal of a value that cannot be encoded; without bytes there is no offset.
    package init(_ error: TranslationError) {
        self.init(kind: error.reason.kind, field: error.path.isEmpty ? nil : error.path)
    }

    /// Returns the first wrong detail of another refusal; nil if all its details are right.
    ///
    /// - Parameter isStrict: Whether details that it leaves out are wrong, too.
    package func fault(of other: Refusal, isStrict: Bool) -> String? {
        fault("error", kind, other.kind, isStrict) ?? fault("field", field, other.field, isStrict)
            ?? fault("offset", offset.map(String.init), other.offset.map(String.init), isStrict)
    }

    private func fault(_ name: String, _ expected: String?, _ found: String?, _ isStrict: Bool) -> String? {
        guard found != nil || isStrict else { return nil }
        let isSame = expected.map { $0.hasSameBytes(as: found ?? "") && found != nil } ?? (found == nil)
        return isSame ? nil : "the \(name) is \(found ?? "not said") where \(expected ?? "none") was expected"
    }

    /// The refusal as written in a file and in a reply; only known details.
    package var json: JSONValue {
        var members: [JSONValue.Member] = []
        if let kind { members.append(.init("error", .string(kind))) }
        if let field { members.append(.init("field", .string(field))) }
        if let offset { members.append(.init("offset", .integer(Int128(offset)))) }
        return .object(members)
    }

    /// Reads the form that ``json`` writes; other members are ignored.
    ///
    /// - Returns: nil if this is not an object, or a member has the wrong kind.
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
