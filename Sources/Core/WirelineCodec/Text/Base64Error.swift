// SPDX-License-Identifier: Apache-2.0

/// Why a text is not Base64.
@nonexhaustive
public enum Base64Error: Error, Equatable, Sendable {
    /// The text's length is not a multiple of four characters.
    case invalidLength(byteCount: Int)
    /// A byte of the text that is not a digit, or padding before the end.
    case invalidCharacter(offset: Int)
    /// Bits after the last byte that are not zero.
    case trailingBits
}

extension Base64Error: CustomStringConvertible {
    /// One readable line.
    public var description: String {
        switch self {
        case .invalidLength(let byteCount): "\(byteCount) characters are not a multiple of 4; padding is required"
        case .invalidCharacter(let offset): "the byte at offset \(offset) of the text is not a Base64 digit"
        case .trailingBits: "the bits after the last byte are not zero"
        }
    }
}
