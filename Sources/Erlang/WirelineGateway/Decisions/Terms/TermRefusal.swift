// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// Why a term had no effect. Its sender gets this.
package enum TermRefusal: Error, Equatable, Sendable {
    /// A message cannot be encoded. The term is the error that the generated `encode/2` returns.
    case encoding(ErlangTerm)
    /// Only the owner may do this, or a process on the node that was asked.
    case notOwner
    /// The term is no action, or an action with wrong values.
    case unknownAction(ErlangTerm)
    /// The number to confirm is out of this range.
    case outOfRange(UInt64, lowest: UInt64, highest: UInt64)
    /// The protocol has no such key or state, or does not allow this value.
    case change(ErlangTerm, path: String)
    /// The term has more bytes than the limit. The path is the name of its action.
    case tooLong(Int, limit: Int, path: String)

    /// The form is that of `encode/2`.
    package var term: ErlangTerm {
        switch self {
        case .encoding(let error): error
        case .notOwner: Self.error("not_owner")
        case .unknownAction(let term): Self.error(.tuple("unknown_action", term))
        case .outOfRange(let number, let lowest, let highest):
            Self.error(
                .tuple("out_of_range", ErlangTerm(number), ErlangTerm(lowest), ErlangTerm(highest)), path: "confirm")
        case .change(let reason, let path): Self.error(reason, path: path)
        case .tooLong(let byteCount, let limit, let path):
            Self.error(.tuple("too_long", ErlangTerm(byteCount), ErlangTerm(limit)), path: path)
        }
    }

    private static func error(_ reason: ErlangTerm, path: String = "") -> ErlangTerm {
        ["reason": reason, "path": .text(path)]
    }
}

/// Encodes a message (a term without a version byte) to a packet, or returns the error of `encode/2`.
package typealias MessageEncoder = @Sendable (RawSpan) -> Result<ClientPacket, TermRefusal>

/// Returns why the protocol does not allow a change; nil if it does.
package typealias ChangeCheck = @Sendable (ConnectionChange) -> TermRefusal?
