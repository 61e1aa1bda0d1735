// SPDX-License-Identifier: Apache-2.0

/// The SHA-256 of a public key as in certificates (`SubjectPublicKeyInfo`, RFC 5280 §4.1).
///
/// It does not change when a certificate is renewed for the same key. This prints the hash of a server's key:
///
///     openssl x509 -in certificate.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256
public struct TLSKeyHash: Hashable, Sendable {
    /// The 32 bytes of the hash.
    public let bytes: [UInt8]

    /// Makes a hash from its bytes; nil unless there are 32.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads a hash from text.
    ///
    /// - Parameter text: 64 hexadecimal digits, with or without colons between pairs; or base64 with its padding, 44
    ///   characters. Either may follow `sha256/` or `sha256//`, as other tools write it.
    /// - Throws: ``TLSError/invalidPin(_:)`` if it is neither.
    public init(_ text: String) throws(TLSError) {
        // Base64 may begin with a slash itself, so every prefix is tried.
        for prefix in ["", "sha256/", "sha256//"] where text.hasPrefix(prefix) {
            let rest = text.dropFirst(prefix.count)
            guard let bytes = Self.bytes(ofHexadecimal: rest) ?? Self.bytes(ofBase64: rest) else { continue }
            self.bytes = bytes
            return
        }
        throw .invalidPin(text)
    }

    /// The hash as other tools write it: `sha256/` and 44 characters of base64.
    public var base64: String {
        var text = "sha256/"
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text += place > group.count ? "=" : String(Self.alphabet[bits >> (18 - 6 * place) & 0x3F])
            }
        }
        return text
    }

    static let byteCount = 32
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    private static func bytes(ofHexadecimal text: Substring) -> [UInt8]? {
        let pairs = text.contains(":") ? text.split(separator: ":", omittingEmptySubsequences: false) : []
        guard pairs.isEmpty || pairs.count == byteCount && pairs.allSatisfy({ $0.count == 2 }) else { return nil }
        let digits = pairs.isEmpty ? Array(text) : pairs.flatMap { Array($0) }
        guard digits.count == 2 * byteCount else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard digits[place].isASCII, digits[place + 1].isASCII, let high = digits[place].hexDigitValue,
                let low = digits[place + 1].hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    /// 32 bytes are 42 characters, one character that holds 4 bits, and one of padding.
    private static func bytes(ofBase64 text: Substring) -> [UInt8]? {
        guard text.count == 44, text.last == "=" else { return nil }
        var (bits, bitCount) = (0, 0)
        var bytes: [UInt8] = []
        for character in text.dropLast() {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        // Unused bits must be 0, so that a hash has only one spelling.
        return bits & (1 << bitCount - 1) == 0 ? bytes : nil
    }
}

extension TLSKeyHash: CustomStringConvertible {
    public var description: String { base64 }
}
