// SPDX-License-Identifier: Apache-2.0

/// Says which framing the bytes have that a peer has sent, on its own or to whatever it was sent, if they show it.
///
/// A framing fits when its packets end exactly where the peer has fallen silent, each time it has. Of any bytes, some do so
/// for some framing: a framing is believed when chance would have to be luckier than one in a million, after all framings
/// that were looked at.
struct FramingGuess {
    /// One in a million, and the framings to choose from.
    private static let bitsNeeded = 20.0 + 8.0

    /// What the peer has sent between two silences; the same bytes count once.
    private(set) var bursts: Set<[UInt8]> = []

    mutating func add(_ burst: [UInt8]) {
        if !burst.isEmpty { bursts.insert(burst) }
    }

    /// Whether there is a framing, believed or not, of which all bytes that have come are packets.
    var isPossible: Bool { Self.all.contains { framing in bursts.allSatisfy(framing.fits) } }

    /// The framing that is believed; nil where none is.
    var framing: Framing? {
        let bitsOfByte = bitsOfByte
        let believed = Self.all.filter { framing in
            // Small numbers are packets of single bytes too easily.
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

    /// The framing, of those that fit all bytes, that is likeliest to be meant.
    static func likeliest(of framings: [Framing]) -> Framing? {
        // The same bytes have narrower lengths too, behind zeros or in front of them.
        framings.max { ($0.width, -$0.offset, rank($0)) < ($1.width, -$1.offset, rank($1)) }
    }

    /// How unlikely each byte is among those that have come; all of them are where few have.
    private var bitsOfByte: [Double] {
        var counts = [Double](repeating: 0.125, count: 256)
        for byte in bursts.joined() { counts[Int(byte)] += 1 }
        let sum = counts.reduce(0, +)
        return counts.map { min(8, Self.logarithm(sum / $0)) }
    }

    /// How unlikely it is that any bytes make these packets: each length has to be what it is, but they may stand in many
    /// places.
    private static func bits(of lengths: [[UInt8]], in byteCount: Int, _ bitsOfByte: [Double]) -> Double {
        var bits = lengths.joined().reduce(0) { $0 + bitsOfByte[Int($1)] } - logarithm(Double(lengths.count))
        for number in 1..<lengths.count { bits -= logarithm(Double(byteCount - number) / Double(number)) }
        return bits
    }

    /// To the base of 2, near enough.
    private static func logarithm(_ number: Double) -> Double { Double(number.exponent) + number.significand - 1 }

    /// Lengths that count all, or all that follows, are much more usual than others.
    private static func rank(_ framing: Framing) -> Int {
        framing.excess == framing.lengthEnd ? 2 : framing.excess == 0 ? 1 : 0
    }

    /// What is looked at: fewer than 2^8.
    static let all: [Framing] = (0...4).flatMap { offset in
        Framing.lengths.flatMap { width, order in
            let end = offset + width
            return [0, end, end + 2, end + 4].map { excess in
                Framing(offset: offset, width: width, order: order, excess: excess)
            }
        }
    }
}
