// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLibraries

/// `layer aes_ctr(key, iv)` and `layer aes_cbc(key, iv)`: AES of libcrypto.
///
/// Neither finds out that bytes were changed on their way. With CBC, an attacker who can change packets and see whether
/// they are refused can learn their content. Use TLS against such attackers.
final class AESLayer: PacketLayer {
    /// The source of the first vector or counter.
    enum Vector {
        /// A key of 16 bytes: the keystream continues from packet to packet (CTR), or each packet begins with it (CBC).
        case key(SecretMemory)
        /// A header field of 16 bytes, with which each packet begins.
        case field(String)
    }

    private let mode: AESMode
    private let key: SecretMemory
    private let vector: Vector
    private var opening: CipherContext?
    private var sealing: CipherContext?

    /// - Parameter key: 16, 24 or 32 bytes.
    init(_ mode: AESMode, key: SecretMemory, vector: Vector) {
        self.mode = mode
        self.key = key
        self.vector = vector
    }

    func open(_ sealed: RawSpan, _ header: PacketHeader, limit: Int) throws(CodecError) -> [UInt8] {
        guard mode == .ctr || (!sealed.isEmpty && sealed.byteCount % AESMode.blockByteCount == 0) else {
            throw CodecError(.invalidLayer(.brokenBlock))
        }
        try begin(&opening, isEncrypting: false, header)
        if mode == .ctr { return try streamed(sealed, opening) }
        guard let content = opening?.decryptWhole(sealed) else { throw CodecError(.invalidLayer(.wrongPadding)) }
        return content
    }

    func seal(_ content: RawSpan, _ header: PacketHeader) throws(CodecError) -> [UInt8] {
        try begin(&sealing, isEncrypting: true, header)
        if mode == .ctr { return try streamed(content, sealing) }
        do {
            return try sealing?.encryptWhole(content) ?? []
        } catch {
            throw CodecError(error)
        }
    }

    /// Makes the context for the first packet, and restarts it for later ones unless the keystream continues.
    private func begin(
        _ context: inout CipherContext?, isEncrypting: Bool, _ header: PacketHeader
    ) throws(CodecError) {
        switch vector {
        case .field(let name):
            guard let bytes = header[bytes: name] else { throw CodecError(.invalidHeaderField(name)) }
            guard bytes.count == AESMode.blockByteCount else {
                throw CodecError(.wrongByteCount(count: bytes.count, expected: AESMode.blockByteCount))
            }
            try begin(&context, isEncrypting: isEncrypting, with: bytes.rawSpan)
        case .key(let vector):
            // The keystream continues.
            if mode == .ctr, context != nil { return }
            try begin(&context, isEncrypting: isEncrypting, with: vector.rawSpan)
        }
    }

    private func begin(
        _ context: inout CipherContext?, isEncrypting: Bool, with vector: RawSpan
    ) throws(CodecError) {
        do {
            if context == nil {
                let key = key
                context = try CipherContext(
                    CipherLibrary.shared.get(), mode, isEncrypting: isEncrypting, key: key.rawSpan, vector: vector)
            } else {
                try context?.restart(with: vector)
            }
        } catch {
            throw CodecError(error)
        }
    }

    private func streamed(
        _ bytes: RawSpan, _ context: borrowing CipherContext?
    ) throws(CodecError) -> [UInt8] {
        do {
            return try context?.transform(bytes) ?? []
        } catch {
            throw CodecError(error)
        }
    }
}
