// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// Why nothing of a term is done. Its sender is told.
package enum TermRefusal: Error, Equatable, Sendable {
    /// A message cannot be encoded: the error as the generated `encode/2` gives it.
    case encoding(ErlangTerm)
    /// Only the owner may do this, or a process of the asked node.
    case notOwner
    /// The term is no action, or its values are none of the action's.
    case unknownAction(ErlangTerm)
    /// The number to confirm is not between these.
    case outOfRange(UInt64, lowest: UInt64, highest: UInt64)
    /// The connections of the protocol have no such key or state, or none with this value: the reason, and the path.
    case change(ErlangTerm, path: String)
    /// A term has more bytes than this; where it stands, by the name of its action.
    case tooLong(Int, limit: Int, path: String)

    /// The error in the form of `encode/2`.
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

/// Encodes a message, which is a term without a version byte, to a packet; or gives the error of `encode/2`.
package typealias MessageEncoder = @Sendable (RawSpan) -> Result<ClientPacket, TermRefusal>

/// Says why a connection of the protocol cannot have a change; nil if it can.
package typealias ChangeCheck = @Sendable (ConnectionChange) -> TermRefusal?
