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

    /// One word, so that calls that may throw this error stay small.
    private let storage: Storage

    package init(_ reason: ErlangTerm) { storage = Storage(reason, "", message: nil) }

    private init(_ storage: Storage) { self.storage = storage }

    package func prefixed(by name: String) -> ErlangRecordError {
        let (path, next) = (storage.path, storage.path.isEmpty || storage.path.hasPrefix("[") ? name : name + ".")
        return ErlangRecordError(Storage(reason, next + path, message: message))
    }

    /// Adds the message's name to the path, and keeps it as ``message``.
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
    /// For example `{too_long, 300, 255}`.
    package static func tuple(_ name: String, _ numbers: Int128...) -> ErlangRecordError {
        ErlangRecordError(.tuple([.atom(ErlangAtom(name))] + numbers.map { ErlangTerm($0) }))
    }

    package static func wrongType(_ expected: String) -> ErlangRecordError {
        ErlangRecordError(.tuple("wrong_type", .atom(ErlangAtom(expected))))
    }

    /// Too many bytes or items.
    package static func tooLong(_ count: Int, limit: Int) -> ErlangRecordError {
        tuple("too_long", Int128(count), Int128(limit))
    }

    package static func tooDeep(_ limit: Int) -> ErlangRecordError { tuple("too_deep", Int128(limit)) }

    /// A field is set although its condition does not hold, or the other way round.
    package static func presence(isSet: Bool) -> ErlangRecordError {
        ErlangRecordError(.tuple("presence", isSet ? "set" : "not_set"))
    }
}
