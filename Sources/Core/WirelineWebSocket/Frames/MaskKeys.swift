// SPDX-License-Identifier: Apache-2.0

/// Mask keys that cannot be predicted, not even from all earlier keys (RFC 6455 §5.3, §10.3).
///
/// Keys are fetched in batches: one system call for each key would cost more than a short frame.
struct MaskKeys: Sendable {
    private static let batch = 32

    private var keys: [UInt32] = []

    mutating func next() -> UInt32 {
        if let key = keys.popLast() { return key }
        keys = SecureRandom.numbers(count: Self.batch)
        return keys.popLast() ?? 0
    }
}
