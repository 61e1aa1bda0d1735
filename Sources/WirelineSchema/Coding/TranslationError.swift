// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// Why JSON could not be turned into a packet.
///
///     Cs_20001.Line: 4294967296 is not in 0...4294967295
public struct TranslationError: Error, Equatable, Sendable {
    /// What is wrong.
    public let reason: Reason
    /// The field, from the message's name inwards: `Sc_20001.items[1].count`. Empty when no message was involved.
    public let path: String

    package init(_ reason: Reason, path: String = "") {
        self.reason = reason
        self.path = path
    }

    package init(_ reason: CodecError.Reason, path: String = "") {
        self.init(.value(reason), path: path)
    }

    /// The same error with a name or an index in brackets put before its path.
    func prefixed(by name: String) -> TranslationError {
        TranslationError(reason, path: FieldPath.joining(name, path))
    }

    /// What is wrong with JSON that should become a packet.
    @nonexhaustive
    public indirect enum Reason: Equatable, Sendable {
        /// The text is not JSON at all.
        case json(JSONError)
        /// No message has this name.
        case unknownMessage(String)
        /// A field that must be there and is not.
        case missing
        /// A key that names no field; `known` are the names there are.
        case unknownKey(String, known: [String])
        /// A JSON value of another kind than the field needs.
        case wrongKind(expected: Expectation, found: String)
        /// A number with a fraction or an exponent where an integer must stand.
        case notAnInteger(String)
        /// A string that is not the digits of an integer, where one may stand in a string.
        case notIntegerText(String)
        /// A number that not even the widest type can hold.
        case numberTooLarge(String)
        /// A name that an enum or a set of flags does not have; `known` are the names there are.
        case unknownName(String, known: [String])
        /// A flag, or a number for the unknown ones, that stands twice.
        case repeatedFlag(String)
        /// Text that should be Base64.
        case base64(Base64Error)
        /// A computed header field, or the ID or name of a message, that is not what the packet has.
        case differs(found: String, actual: String)
        /// A value that the wire cannot carry, as everything that encodes would say it.
        case value(CodecError.Reason)
    }

    /// What a field needs.
    @nonexhaustive
    public enum Expectation: Equatable, Sendable {
        case integer, wideInteger, float, boolean, string, base64, hexadecimal, object, array, enumeration, flags, flag
    }
}

extension TranslationError: CustomStringConvertible {
    /// One line for people: the path and what is wrong.
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

    /// All the names where they are few, or else the one that was probably meant.
    private func choice(of names: [String], insteadOf word: String) -> String {
        guard names.count > 8 else { return "there is " + (names.isEmpty ? "none" : names.joined(separator: ", ")) }
        var spelling = Spelling()
        if let name = spelling.suggestion(for: word, among: names) { return "did you mean \(FieldPath.quoted(name))?" }
        return "there is \(names.prefix(8).joined(separator: ", ")), …"
    }

    /// The text of a number, which can be of any length.
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
        case .enumeration: "a name of the enum, or a number,"
        case .flags: "an array of names"
        case .flag: "a name of a flag, or a number,"
        }
    }
}
