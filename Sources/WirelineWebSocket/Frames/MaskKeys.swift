// SPDX-License-Identifier: Apache-2.0

/// Keys that nobody can foresee, not even who has seen all that came before (RFC 6455 §5.3, §10.3).
///
/// Asking the system for each would cost more than a short frame does.
struct MaskKeys: Sendable {
    private static let batch = 32

    private var keys: [UInt32] = []

    mutating func next() -> UInt32 {
        if let key = keys.popLast() { return key }
        keys = SecureRandom.numbers(count: Self.batch)
        return keys.popLast() ?? 0
    }
}
