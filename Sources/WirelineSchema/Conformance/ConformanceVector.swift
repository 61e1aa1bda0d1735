// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// A packet, or a value, and what an implementation of the protocol must make of it.
package struct ConformanceVector: Sendable {
    /// What is asked.
    package enum Kind: String, CaseIterable, Sendable {
        /// The bytes are decoded to the line, and the line is encoded to the bytes.
        case exact = ""
        /// The bytes are decoded to the line; encoding gives other bytes.
        case decodeOnly = "DecodeOnly"
        /// The bytes, and then the end of the stream, are refused.
        case invalid = "Invalid"
        /// The line cannot be encoded.
        case refused = "Refused"
    }

    package var kind: Kind
    /// Its file's name without the folder and the extension.
    package var caseName: String
    /// Who sends the packet.
    package var sender: Sender
    /// What it is about, for people; may be empty.
    package var note: String
    /// The packet; empty for one that cannot be encoded.
    package var bytes: [UInt8]
    /// The line that the packet is in JSON; nil for invalid bytes.
    package var line: JSONValue?
    /// What this project's codec says of what is invalid or refused.
    package var errorText: String?
    /// The same for programs.
    package var refusal: Refusal?

    package init(
        _ kind: Kind, _ caseName: String, from sender: Sender, note: String = "", bytes: [UInt8] = [],
        line: JSONValue? = nil, errorText: String? = nil, refusal: Refusal? = nil
    ) {
        self.kind = kind
        self.caseName = caseName
        self.sender = sender
        self.note = note
        self.bytes = bytes
        self.line = line
        self.errorText = errorText
        self.refusal = refusal
    }

    /// `hello`, `Invalid/http`
    package var name: String { kind == .exact ? caseName : kind.rawValue + "/" + caseName }

    /// The kind of a file by the folder it stands in.
    package static func kind(inFolder name: String) -> Kind { Kind(rawValue: name) ?? .exact }
}
