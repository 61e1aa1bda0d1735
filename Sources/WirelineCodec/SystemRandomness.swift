// SPDX-License-Identifier: Apache-2.0

/// The system's secure source of random numbers, for what takes a generator.
///
/// The standard library's own is an empty struct, and an empty variable has no address: what the thread sanitizer is told
/// of it is any number, at which it crashes.
package struct SystemRandomness: RandomNumberGenerator, Sendable {
    private var count: UInt64 = 0

    package init() {}

    package mutating func next() -> UInt64 {
        count &+= 1
        return UInt64.random(in: .min ... .max)
    }
}
