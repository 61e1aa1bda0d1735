// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// A packet or a value, and the result that an implementation of the protocol must produce.
package struct ConformanceVector: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// The bytes are decoded to the line, and the line is encoded to the bytes.
        case exact = ""
        /// The bytes are decoded to the line; encoding gives other bytes.
        case decodeOnly = "DecodeOnly"
        /// The bytes followed by the end of the stream are refused.
        case invalid = "Invalid"
        /// The line cannot be encoded.
        case refused = "Refused"
    }

    package var kind: Kind
    /// The name of its file without folder and extension.
    package var caseName: String
    /// The sender of the packet, and the states of the connection before it.
    package var context: PacketContext
    package var keys: [LayerKey] = []
    /// A comment for people; may be empty.
    package var note: String
    /// The packet; empty for one that cannot be encoded.
    package var bytes: [UInt8]
    /// The packet as a line of JSON; nil for invalid bytes.
    package var line: JSONValue?
    /// The error text of this project's codec for an invalid or refused vector.
    package var errorText: String?
    /// The same error for programs.
    package var refusal: Refusal?

    package init(
        _ kind: Kind, _ caseName: String, in context: PacketContext, note: String = "", bytes: [UInt8] = [],
        line: JSONValue? = nil, errorText: String? = nil, refusal: Refusal? = nil
    ) {
        self.kind = kind
        self.caseName = caseName
        self.context = context
        self.note = note
        self.bytes = bytes
        self.line = line
        self.errorText = errorText
        self.refusal = refusal
    }

    package var sender: Sender { context.sender }

    /// The name in results: `hello`, `Invalid/http`.
    package var name: String { kind == .exact ? caseName : kind.rawValue + "/" + caseName }

    package static func kind(inFolder name: String) -> Kind { Kind(rawValue: name) ?? .exact }
}
