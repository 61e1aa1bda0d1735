// SPDX-License-Identifier: Apache-2.0

public import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Random numbers that can be repeated: SplitMix64, from a fixed seed or from the one in `WIRELINE_SEED`.
///
/// The seed is fixed so that the same commit gets the same verdict. `.ci/deep` tries new seeds.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    public let seed: UInt64
    private var state: UInt64

    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    /// The generator of a test. Its seed is printed with the test's ID, from which `.ci/deep` learns what a seed changes.
    ///
    /// - Parameter caller: What is printed where no test is known.
    public static func forThisRun(_ caller: String = #function) -> SeededGenerator {
        let seed = getenv("WIRELINE_SEED").flatMap { UInt64(String(cString: $0)) } ?? usualSeed
        print("WIRELINE_SEED=\(seed) in \(Test.current.map { "\($0.id)" } ?? caller)")
        return SeededGenerator(seed: seed)
    }

    private static let usualSeed: UInt64 = 20_261_126

    /// The text of a failed expectation, with which the run can be repeated.
    public var seedComment: Comment { "repeat with WIRELINE_SEED=\(seed)" }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Random bytes, eight from each number: byte by byte, a megabyte would take seconds in a debug build.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count + 7) { buffer, initializedCount in
            var offset = 0
            while offset < count {
                UnsafeMutableRawBufferPointer(buffer).storeBytes(of: next(), toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            initializedCount = count
        }
    }
}

extension String {
    /// Up to ten characters; half of them need special care.
    public static func random(using random: inout SeededGenerator) -> String {
        let careful: [Unicode.Scalar] = [
            "\"", "\\", "\u{0}", "\n", "\u{1B}", "\u{7F}", "\u{85}", "\u{202E}", "\u{2028}", "\u{FEFF}", "e", "\u{301}",
            "中", "😀", "\u{10FFFF}", "\u{FFFE}",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...10, using: &random) {
            let ascii = Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &random))
            text.append(Bool.random(using: &random) ? ascii : careful.randomElement(using: &random) ?? ascii)
        }
        return String(text)
    }
}
