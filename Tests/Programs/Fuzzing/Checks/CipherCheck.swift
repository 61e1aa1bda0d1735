// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineLayers

/// Bytes are sealed and opened with a key, whole and in two packets, and are what a plain model makes of them.
///
///     +-------------------+-------+-----------+--------+-------- - - -
///     | count of key      | cut   | 16 vector | key …  | bytes
///     +-------------------+-------+-----------+--------+-------- - - -
///      a byte              a byte
struct CipherCheck {
    enum Cipher {
        case xor, rc4, aesCTR, aesCBC

        fileprivate var kind: LayerKind {
            switch self {
            case .xor: .xor(key: "key")
            case .rc4: .rc4(key: "key")
            case .aesCTR: .aesCTR(key: "key", vector: .key("vector"))
            case .aesCBC: .aesCBC(key: "key", vector: .key("vector"))
            }
        }

        fileprivate var hasVector: Bool { self == .aesCTR || self == .aesCBC }
    }

    private let cipher: Cipher
    private let key: [UInt8]
    private let vector: [UInt8]
    private let content: [UInt8]
    /// How many bytes the first packet of two has.
    private let cut: Int

    static func check(_ bytes: [UInt8], _ cipher: Cipher) throws(Finding) {
        var input = Input(bytes)
        let keyCount = Int(input.byte())
        let cut = Int(input.byte())
        let vector = (0..<16).map { _ in input.byte() }
        let keyByteCount = cipher.hasVector ? [16, 24, 32][keyCount % 3] : keyCount + 1
        let key = (0..<keyByteCount).map { _ in input.byte() }
        let content = Array(input.rest)
        let check = CipherCheck(
            cipher: cipher, key: key, vector: vector, content: content, cut: min(cut, content.count))
        try check.sealAndOpen()
        switch cipher {
        case .xor: try check.compare(with: check.xored(content))
        case .rc4: try check.compare(with: check.arcfour(content))
        case .aesCTR: break
        case .aesCBC: try check.openAnything()
        }
    }

    private func end() throws(Finding) -> LayerEnd {
        var end = LayerEnd([cipher.kind])
        try end.setKey("key", key)
        if cipher.hasVector { try end.setKey("vector", vector) }
        return end
    }

    private func sealAndOpen() throws(Finding) {
        var sealing = try end()
        var opening = try end()
        var other = try end()
        let (first, second) = (Array(content[..<cut]), Array(content[cut...]))
        guard case .success(let whole) = other.seal(content), case .success(let one) = sealing.seal(first),
            case .success(let two) = sealing.seal(second)
        else { throw Finding("not sealed") }
        try require(opening.open(one) == .success(first), "the first packet is opened as another one")
        try require(opening.open(two) == .success(second), "the second packet is opened as another one")
        if cipher == .rc4 || cipher == .aesCTR {
            try require(one + two == whole, "cut at \(cut), the keystream is another one")
        }
    }

    private func compare(with model: [UInt8]) throws(Finding) {
        var end = try end()
        try require(end.seal(content) == .success(model), "sealed, but not as \(Hexadecimal.text(of: model))")
    }

    private func xored(_ bytes: [UInt8]) -> [UInt8] {
        bytes.enumerated().map { $1 ^ key[$0 % key.count] }
    }

    private func arcfour(_ bytes: [UInt8]) -> [UInt8] {
        var state = Array(UInt8.min ... .max)
        var place = 0
        for index in state.indices {
            place = (place + Int(state[index]) + Int(key[index % key.count])) % 256
            state.swapAt(index, place)
        }
        var (index, other) = (0, 0)
        return bytes.map { byte in
            index = (index + 1) % 256
            other = (other + Int(state[index])) % 256
            state.swapAt(index, other)
            return byte ^ state[(Int(state[index]) + Int(state[other])) % 256]
        }
    }

    /// What any bytes are opened as is sealed as the same bytes: there is one way to pad a content.
    private func openAnything() throws(Finding) {
        var opening = try end()
        var sealing = try end()
        switch opening.open(content) {
        case .success(let opened):
            try require(sealing.seal(opened) == .success(content), "opened, but sealed as other bytes")
        case .failure(let error):
            let isWhole = !content.isEmpty && content.count % 16 == 0
            try require(
                error.reason == .invalidLayer(isWhole ? .wrongPadding : .brokenBlock), "refused with \(error)")
        }
    }
}
