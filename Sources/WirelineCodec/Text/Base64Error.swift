// SPDX-License-Identifier: Apache-2.0

/// Why a text is not Base64.
@nonexhaustive
public enum Base64Error: Error, Equatable, Sendable {
    /// The text is not a multiple of four characters.
    case invalidLength(byteCount: Int)
    /// A byte of the text that is no digit, or padding that is not at the end.
    case invalidCharacter(offset: Int)
    /// Bits behind the last byte that are not zero.
    case trailingBits
}

extension Base64Error: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .invalidLength(let byteCount): "\(byteCount) characters are not a multiple of 4; padding is required"
        case .invalidCharacter(let offset): "the byte at offset \(offset) of the text is not a Base64 digit"
        case .trailingBits: "the bits behind the last byte are not zero"
        }
    }
}
