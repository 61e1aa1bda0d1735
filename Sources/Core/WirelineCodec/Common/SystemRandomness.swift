// SPDX-License-Identifier: Apache-2.0

/// The system's secure source of random numbers, for functions that take a generator.
///
/// The standard library's generator is an empty struct, and an empty variable has no address. The thread sanitizer
/// would get an arbitrary address for it and crash.
package struct SystemRandomness: RandomNumberGenerator, Sendable {
    private var count: UInt64 = 0

    package init() {}

    package mutating func next() -> UInt64 {
        count &+= 1
        return UInt64.random(in: .min ... .max)
    }
}
