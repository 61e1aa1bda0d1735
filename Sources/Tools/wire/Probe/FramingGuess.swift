// SPDX-License-Identifier: Apache-2.0

/// Guesses the framing from the bytes of a peer.
///
/// A framing fits if its packets end exactly where the peer paused, each time. Random bytes can fit a framing by
/// chance. So a framing is accepted only if the chance for all tried framings together is below one in a million.
struct FramingGuess {
    /// The bits that a framing needs to be accepted: 20 for one in a million, and 8 for the number of framings.
    private static let bitsNeeded = 20.0 + 8.0

    /// The peer's bytes between pauses. Equal ones count once.
    private(set) var bursts: Set<[UInt8]> = []

    mutating func add(_ burst: [UInt8]) {
        if !burst.isEmpty { bursts.insert(burst) }
    }

    /// Whether at least one framing fits all bytes, even if it is not accepted.
    var isPossible: Bool { Self.all.contains { framing in bursts.allSatisfy(framing.fits) } }

    /// The accepted framing; nil if there is none.
    var framing: Framing? {
        let bitsOfByte = bitsOfByte
        let believed = Self.all.filter { framing in
            // One-byte lengths are excluded, because small numbers fit too easily.
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

    /// Returns the best of several framings that all fit the same bytes.
    static func likeliest(of framings: [Framing]) -> Framing? {
        // Bytes that fit a wide length also fit narrower ones, with zeros before or after them. So the widest one is
        // best.
        framings.max { ($0.width, -$0.offset, rank($0)) < ($1.width, -$1.offset, rank($1)) }
    }

    /// The information of each byte value, in bits. With few bytes, it is high for all values.
    private var bitsOfByte: [Double] {
        var counts = [Double](repeating: 0.125, count: 256)
        for byte in bursts.joined() { counts[Int(byte)] += 1 }
        let sum = counts.reduce(0, +)
        return counts.map { min(8, Self.logarithm(sum / $0)) }
    }

    /// Returns how unlikely it is that random bytes form these packets, in bits.
    ///
    /// Each length must have its exact value. But the packets can begin at many positions.
    private static func bits(of lengths: [[UInt8]], in byteCount: Int, _ bitsOfByte: [Double]) -> Double {
        var bits = lengths.joined().reduce(0) { $0 + bitsOfByte[Int($1)] } - logarithm(Double(lengths.count))
        for number in 1..<lengths.count { bits -= logarithm(Double(byteCount - number) / Double(number)) }
        return bits
    }

    private static func logarithm(_ number: Double) -> Double { Double(number.exponent) + number.significand - 1 }

    /// The most common framings rank highest: their lengths count the whole packet, or everything after the length.
    private static func rank(_ framing: Framing) -> Int {
        framing.excess == framing.lengthEnd ? 2 : framing.excess == 0 ? 1 : 0
    }

    /// The framings to try. There are fewer than 2^8.
    static let all: [Framing] = (0...4).flatMap { offset in
        Framing.lengths.flatMap { width, order in
            let end = offset + width
            return [0, end, end + 2, end + 4].map { excess in
                Framing(offset: offset, width: width, order: order, excess: excess)
            }
        }
    }
}
