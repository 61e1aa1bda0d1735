// SPDX-License-Identifier: Apache-2.0

/// Why a key of a layer cannot be set. It never contains the key.
@nonexhaustive
public enum LayerKeyError: Error, Equatable, Sendable {
    /// No layer of the schema has a key with this name.
    case unknownName(String)
    /// The key has `byteCount` bytes, and one of its layers needs another number of them.
    case wrongByteCount(Int, needed: ByteCounts)

    /// How many bytes a key may have.
    @nonexhaustive
    public enum ByteCounts: Equatable, Sendable {
        /// From one byte to so many: XOR and RC4.
        case upTo(Int)
        /// 16, 24 or 32: a key of AES.
        case aesKey
        /// 16: the first vector or counter of AES.
        case aesVector
    }
}

extension LayerKeyError: CustomStringConvertible {
    /// What is wrong, in one sentence.
    public var description: String {
        switch self {
        case .unknownName(let name): "no layer has a key \(name.debugDescription)"
        case .wrongByteCount(let byteCount, let needed):
            "a key of \(byteCount) \(byteCount == 1 ? "byte" : "bytes"), where a layer needs \(needed)"
        }
    }
}

extension LayerKeyError.ByteCounts: CustomStringConvertible {
    /// The allowed numbers of bytes.
    public var description: String {
        switch self {
        case .upTo(let limit): "1 to \(limit)"
        case .aesKey: "16, 24 or 32"
        case .aesVector: "16"
        }
    }

    func allow(_ byteCount: Int) -> Bool {
        switch self {
        case .upTo(let limit): 1...limit ~= byteCount
        case .aesKey: [16, 24, 32].contains(byteCount)
        case .aesVector: byteCount == 16
        }
    }
}
