// SPDX-License-Identifier: Apache-2.0

/// Guesses the framing of a peer's bytes, if they show it.
///
/// A framing fits if its packets end exactly where the peer paused, each time. Random bytes fit some framing by chance.
/// So a framing is accepted only if that chance, for all tried framings together, is below one in a million.
struct FramingGuess {
    /// 20 bits for one in a million, and 8 bits for the number of framings.
    private static let bitsNeeded = 20.0 + 8.0

    /// The peer's bytes between two pauses. Equal bytes count once.
    private(set) var bursts: Set<[UInt8]> = []

    mutating func add(_ burst: [UInt8]) {
        if !burst.isEmpty { bursts.insert(burst) }
    }

    /// Whether any framing fits all bytes, accepted or not.
    var isPossible: Bool { Self.all.contains { framing in bursts.allSatisfy(framing.fits) } }

    /// The accepted framing; nil: none.
    var framing: Framing? {
        let bitsOfByte = bitsOfByte
        let believed = Self.all.filter { framing in
            // Small numbers form one-byte packets too easily.
            guard framing.width > 1 else { return false }
            var bits = 0.0
            for burst in bursts {
                guard let lengths = framing.lengths(in: burst) else { return false }
                bits += max(0, Self.bits(of: lengths, in: burst.count, bitsOfByte))
            }
            return bits >= Self.bitsNeeded
        }
        return Self.likeliest(of: believed)
    }

    /// All framings must fit all bytes.
    static func likeliest(of framings: [Framing]) -> Framing? {
        // The same bytes also fit narrower lengths, with zeros before or after them.
        framings.max { ($0.width, -$0.offset, rank($0)) < ($1.width, -$1.offset, rank($1)) }
    }

    /// The information content of each byte value. It is high for all values if there are few bytes.
    private var bitsOfByte: [Double] {
        var counts = [Double](repeating: 0.125, count: 256)
        for byte in bursts.joined() { counts[Int(byte)] += 1 }
        let sum = counts.reduce(0, +)
        return counts.map { min(8, Self.logarithm(sum / $0)) }
    }

    /// The chance that random bytes form these packets, in bits: more bits mean a smaller chance.
    ///
    /// Each length must have its exact value, but the packets may begin at many positions.
    private static func bits(of lengths: [[UInt8]], in byteCount: Int, _ bitsOfByte: [Double]) -> Double {
        var bits = lengths.joined().reduce(0) { $0 + bitsOfByte[Int($1)] } - logarithm(Double(lengths.count))
        for number in 1..<lengths.count { bits -= logarithm(Double(byteCount - number) / Double(number)) }
        return bits
    }

    /// Returns an approximate logarithm to base 2.
    private static func logarithm(_ number: Double) -> Double { Double(number.exponent) + number.significand - 1 }

    /// Lengths that count everything, or everything after them, are the most common.
    private static func rank(_ framing: Framing) -> Int {
        framing.excess == framing.lengthEnd ? 2 : framing.excess == 0 ? 1 : 0
    }

    /// The framings to try: fewer than 2^8.
    static let all: [Framing] = (0...4).flatMap { offset in
        Framing.lengths.flatMap { width, order in
            let end = offset + width
            return [0, end, end + 2, end + 4].map { excess in
                Framing(offset: offset, width: width, order: order, excess: excess)
            }
        }
    }
}
