// SPDX-License-Identifier: Apache-2.0

/// Why a term is no message of a protocol.
///
/// It has the words and the path of the error that `encode/2` of the generated Erlang gives for the term.
///
///     #{message => <<"Cs_20001">>, path => <<"Cs_20001.SceneId">>, reason => {out_of_range, 300, 0, 255}}
public struct ErlangRecordError: Error, Equatable, Sendable {
    /// What is wrong: `{out_of_range, 300, 0, 255}`.
    public var reason: ErlangTerm { storage.reason }
    /// The field, in the names of the schema: `Cs_20001.SceneId`; empty if none is to blame.
    public var path: String { storage.path }
    /// The name of the message; nil if the term is none, or if its packet is to blame.
    public var message: String? { storage.message }

    /// It is one word wide, so that calls which may throw it stay small.
    private let storage: Storage

    /// Makes an error with no path.
    package init(_ reason: ErlangTerm) { storage = Storage(reason, "", message: nil) }

    private init(_ storage: Storage) { self.storage = storage }

    /// Returns the same error with a name before its path.
    package func prefixed(by name: String) -> ErlangRecordError {
        let (path, next) = (storage.path, storage.path.isEmpty || storage.path.hasPrefix("[") ? name : name + ".")
        return ErlangRecordError(Storage(reason, next + path, message: message))
    }

    /// Returns the same error in a field of a message: with its name, also before the path.
    package func prefixed(byMessage name: String) -> ErlangRecordError {
        ErlangRecordError(Storage(reason, prefixed(by: name).path, message: name))
    }

    /// The error as `encode/2` gives it: a map with `reason`, `path` and, if it is known, `message`.
    public var term: ErlangTerm {
        var map: ErlangMap = ["reason": reason, "path": .text(path)]
        if let message { map["message"] = .text(message) }
        return .map(map)
    }

    /// Whether reason, path and message are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.reason == right.reason && left.path == right.path && left.message == right.message
    }

    private final class Storage: Sendable {
        let reason: ErlangTerm
        let path: String
        let message: String?

        init(_ reason: ErlangTerm, _ path: String, message: String?) {
            self.reason = reason
            self.path = path
            self.message = message
        }
    }
}

extension ErlangRecordError: CustomStringConvertible {
    /// The error as `format_error/1` shows it: `Cs_20001.SceneId: {out_of_range,300,0,255}`.
    public var description: String { path.isEmpty ? "\(reason)" : "\(path): \(reason)" }
}

extension ErlangRecordError {
    /// Makes an error with a name and numbers, such as `{too_long, 300, 255}`.
    package static func tuple(_ name: String, _ numbers: Int128...) -> ErlangRecordError {
        ErlangRecordError(.tuple([.atom(ErlangAtom(name))] + numbers.map { ErlangTerm($0) }))
    }

    /// A value of another type than the one that is expected.
    package static func wrongType(_ expected: String) -> ErlangRecordError {
        ErlangRecordError(.tuple("wrong_type", .atom(ErlangAtom(expected))))
    }

    /// More bytes or items than a limit.
    package static func tooLong(_ count: Int, limit: Int) -> ErlangRecordError {
        tuple("too_long", Int128(count), Int128(limit))
    }

    /// Values that are nested more deeply than a limit.
    package static func tooDeep(_ limit: Int) -> ErlangRecordError { tuple("too_deep", Int128(limit)) }

    /// A field that is set although its condition does not hold, or not set although it does.
    package static func presence(isSet: Bool) -> ErlangRecordError {
        ErlangRecordError(.tuple("presence", isSet ? "set" : "not_set"))
    }
}
