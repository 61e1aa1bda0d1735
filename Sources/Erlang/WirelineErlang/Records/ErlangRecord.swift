// SPDX-License-Identifier: Apache-2.0

/// A value of Swift that is a record of Erlang.
///
/// The messages of a schema are records if their target depends on the product `WirelineErlang`: the plugin then makes
/// them so. Their records are those of `wire generate erlang`.
///
/// ```swift
/// try node.send(Cs_20001(sceneID: 7, line: 2, message: "hi"), to: .name("scene", at: "game1@127.0.0.1"))
/// if case .message(let term, from: _) = event, let entered = Sc_20001(term) { print(entered.sceneID) }
/// ```
public protocol ErlangRecord: Sendable {
    /// Makes a value of a record; nil if the term is another one, or if one of its fields does not fit.
    init?(_ term: ErlangTerm)

    /// The record.
    ///
    /// - Throws: ``ErlangRecordError`` if a field has a value that does not fit.
    var erlangTerm: ErlangTerm { get throws(ErlangRecordError) }

    /// The record in the external format, without the version byte.
    ///
    /// By default, ``erlangTerm`` is encoded. A message of a schema encodes itself without that term.
    ///
    /// - Throws: ``ErlangRecordError`` as ``erlangTerm``.
    var encodedErlangTerm: [UInt8] { get throws(ErlangRecordError) }
}

extension ErlangRecord {
    public var encodedErlangTerm: [UInt8] {
        get throws(ErlangRecordError) {
            var writer = ErlangTermWriter()
            let term = try erlangTerm
            do throws(ErlangError) {
                try writer.write(term)
            } catch {
                throw ErlangRecordError(.tuple("error", .text("\(error)")))
            }
            return writer.bytes
        }
    }
}
