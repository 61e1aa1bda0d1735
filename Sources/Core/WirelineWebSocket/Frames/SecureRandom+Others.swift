// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    /// Random numbers from the system.
    enum SecureRandom {
        static func numbers(count: Int) -> [UInt32] {
            (0..<count).map { _ in UInt32.random(in: .min ... .max) }
        }
    }
#endif
