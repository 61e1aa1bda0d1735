// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineLanguage

/// Why JSON could not be encoded as a packet.
///
///     Cs_20001.Line: 4294967296 is not in 0...4294967295
public struct TranslationError: Error, Equatable, Sendable {
    /// The fault.
    public let reason: Reason
    /// The field, from the message's name inwards: `Sc_20001.items[1].count`; empty if no message was involved.
    public let path: String

    package init(_ reason: Reason, path: String = "") {
        self.reason = reason
        self.path = path
    }

    package init(_ reason: CodecError.Reason, path: String = "") {
        self.init(.value(reason), path: path)
    }

    /// Returns the same error with a name, or an index in brackets, before its path.
    func prefixed(by name: String) -> TranslationError {
        TranslationError(reason, path: FieldPath.joining(name, path))
    }

    /// A fault of JSON that cannot be encoded as a packet.
    @nonexhaustive
    public indirect enum Reason: Equatable, Sendable {
        /// The text is not JSON.
        case json(JSONError)
        /// No message has this name.
        case unknownMessage(String)
        /// A required field is missing.
        case missing
        /// A key that names no field; `known` are the names that exist.
        case unknownKey(String, known: [String])
        /// Not one key in the object of a union; `known` are the names of its arms.
        case notOneArm(count: Int, known: [String])
        /// A JSON value of another kind than the field needs.
        case wrongKind(expected: Expectation, found: String)
        /// A number with a fraction or an exponent instead of an integer.
        case notAnInteger(String)
        /// A string that is not an integer, for a field that accepts integers in strings.
        case notIntegerText(String)
        /// A number that not even the widest type can hold.
        case numberTooLarge(String)
        /// A name that an enum or a set of flags does not have; `known` are the names that exist.
        case unknownName(String, known: [String])
        /// A flag, or a number for unknown flags, that occurs twice.
        case repeatedFlag(String)
        /// Text that is not valid Base64.
        case base64(Base64Error)
        /// A computed header field, or the ID or name of a message, that differs from the packet's.
        case differs(found: String, actual: String)
        /// A value that cannot be encoded, with the same reason as in generated code.
        case value(CodecError.Reason)
    }

    /// The kind of value that a field accepts.
    @nonexhaustive
    public enum Expectation: Equatable, Sendable {
        case integer, wideInteger, float, boolean, string, base64, hexadecimal, object, array, enumeration, flags, flag,
            null
    }
}

extension TranslationError: CustomStringConvertible {
    /// One readable line: the path and what is wrong.
    public var description: String {
        let place = path.isEmpty ? "" : path + ": "
        return switch reason {
        case .json(let error): error.prefixed(by: path).description
        case .value(let reason): CodecError(reason, path: path).description
        default: place + reason.text
        }
    }
}

extension TranslationError.Reason {
    fileprivate var text: String {
        switch self {
        case .unknownMessage(let name):
            "no message is named \(FieldPath.quoted(name))"
        case .missing:
            "is missing"
        case .unknownKey(let key, let known):
            "no field is named \(FieldPath.quoted(key)); \(choice(of: known, insteadOf: key))"
        case .notOneArm(let count, let known):
            "one arm is needed, not \(count); " + choice(of: known)
        case .wrongKind(let expected, let found):
            "\(expected.text) is needed, not \(found)"
        case .notAnInteger(let text):
            "\(shortened(text)) is not written as an integer: no fraction and no exponent may stand there"
        case .notIntegerText(let text):
            shortened(FieldPath.quoted(text))
                + #" is not an integer: in a string stand its digits, no zeros in front, and "-" if it is negative"#
        case .numberTooLarge(let text):
            "\(shortened(text)) is too large for any field of its kind"
        case .unknownName(let name, let known):
            "there is no \(FieldPath.quoted(name)); \(choice(of: known, insteadOf: name))"
        case .repeatedFlag(let flag):
            "\(FieldPath.quoted(flag)) stands twice"
        case .base64(let error):
            "not Base64: \(error)"
        case .differs(let found, let actual):
            "\(found), but this packet has \(actual)"
        case .json, .value:
            "invalid"
        }
    }

    /// Returns all the names if there are few, otherwise the one that was probably meant.
    private func choice(of names: [String], insteadOf word: String) -> String {
        var spelling = Spelling()
        if names.count > 8, let name = spelling.suggestion(for: word, among: names) {
            return "did you mean \(FieldPath.quoted(name))?"
        }
        return choice(of: names)
    }

    private func choice(of names: [String]) -> String {
        guard names.count > 8 else { return "there is " + (names.isEmpty ? "none" : names.joined(separator: ", ")) }
        return "there is \(names.prefix(8).joined(separator: ", ")), …"
    }

    /// Returns the text of a number, shortened because it can have any length.
    private func shortened(_ text: String) -> String {
        text.utf8.count > 64 ? text.prefix(64) + "…" : text
    }
}

extension TranslationError.Expectation {
    fileprivate var text: String {
        switch self {
        case .integer: "an integer"
        case .wideInteger: "an integer, or one in a string,"
        case .float: #"a number, "NaN", "Infinity" or "-Infinity""#
        case .boolean: "true or false"
        case .string: "a string"
        case .base64: "a string of Base64"
        case .hexadecimal: "a string of hexadecimal digits"
        case .object: "an object"
        case .array: "an array"
        case .null: "null"
        case .enumeration: "a name of the enum, or a number,"
        case .flags: "an array of names"
        case .flag: "a name of a flag, or a number,"
        }
    }
}
