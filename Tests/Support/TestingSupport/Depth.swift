// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How much random tests try: the one switch between `swift test`, which proves each promise with few rounds, and
/// `.ci/deep`.
///
/// `WIRELINE_DEPTH=20` multiplies all numbers of rounds by 20. Without it, or with 1, they are as the tests say.
public enum Depth {
    /// What multiplies the number of rounds; 1 to 1,000,000.
    public static let factor =
        getenv("WIRELINE_DEPTH").flatMap { Int(String(cString: $0)) }.map {
            min(max($0, 1), 1_000_000)
        } ?? 1

    /// Whether more is tried than usual.
    public static var isDeep: Bool { factor > 1 }

    /// Returns how many rounds a test makes whose usual number this is.
    public static func rounds(_ usual: Int) -> Int { usual * factor }

    /// Returns how many of something a test takes that is too dear to be multiplied.
    public static func count(_ usual: Int, deep: Int) -> Int { isDeep ? deep : usual }

    /// Returns some items, chosen at random; a deep run takes all.
    public static func some<Item>(_ usual: Int, of items: [Item], using random: inout SeededGenerator) -> [Item] {
        isDeep ? items : Array(items.shuffled(using: &random).prefix(usual))
    }
}
