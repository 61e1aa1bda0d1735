// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Random numbers that a printed seed brings back (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A generator of the seed in `WIRELINE_SEED`, or of a new one; the seed is printed.
    static func forThisRun(_ test: String = #function) -> SeededGenerator {
        let given = ProcessInfo.processInfo.environment["WIRELINE_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("WIRELINE_SEED=\(seed) in \(test)")
        return SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
