// SPDX-License-Identifier: Apache-2.0

/// Compares numbers exactly: no integer is rounded to a float.
enum NumberComparison {
    typealias Outcome = TermComparison.Outcome

    static func compare(_ left: ErlangTerm, _ right: ErlangTerm, _ numbers: TermComparison.Numbers) -> Outcome {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): return TermComparison.compare(left, right)
        case (.bigInteger(let left), .bigInteger(let right)): return compare(left, right)
        case (.integer, .bigInteger(let right)): return right.isNegative ? .descending : .ascending
        case (.bigInteger(let left), .integer): return left.isNegative ? .ascending : .descending
        case (.float(let left), .float(let right)): return TermComparison.compare(left, right)
        case (.float, _): return numbers == .byKind ? .descending : compare(right, left, numbers).reversed
        case (_, .float(let right)): return numbers == .byKind ? .ascending : compare(left, right)
        default: preconditionFailure("\(left) or \(right) is no number")
        }
    }

    private static func compare(_ left: ErlangTerm, _ right: Double) -> Outcome {
        switch left {
        case .integer(let left): compare(left, right)
        case .bigInteger(let left): compare(left, right)
        default: preconditionFailure("\(left) is no integer")
        }
    }

    private static func compare(_ left: Int64, _ right: Double) -> Outcome {
        // 2^63 is the first number that is too large.
        if right >= 0x1p63 { return .ascending }
        if right < -0x1p63 { return .descending }
        let whole = Int64(right)
        return TermComparison.compare(left, whole).then { TermComparison.compare(0, right - Double(whole)) }
    }

    private static func compare(_ left: ErlangBigInteger, _ right: Double) -> Outcome {
        let isSmaller = right.magnitude < 0x1p63
        guard !isSmaller, (right < 0) == left.isNegative, right.isFinite else {
            let isBelow = isSmaller ? left.isNegative : right > 0
            return isBelow ? .ascending : .descending
        }
        // From 2^63 on, a float is a whole number: its 53-bit significand, shifted.
        let shift = Int(right.exponent) - 52
        var magnitude = [UInt8](repeating: 0, count: shift / 8)
        let significand = UInt64(right.significandBitPattern | 1 << 52) << UInt64(shift % 8)
        for shift in stride(from: 0, to: 64, by: 8) {
            magnitude.append(UInt8(truncatingIfNeeded: significand >> shift))
        }
        guard let other = ErlangBigInteger(isNegative: left.isNegative, magnitude: magnitude) else {
            // −2^63 is the only such float that an `Int64` can hold.
            return left.isNegative ? .ascending : .descending
        }
        return compare(left, other)
    }

    private static func compare(_ left: ErlangBigInteger, _ right: ErlangBigInteger) -> Outcome {
        guard left.isNegative == right.isNegative else { return left.isNegative ? .ascending : .descending }
        var outcome = TermComparison.compare(left.magnitude.count, right.magnitude.count)
        for (left, right) in zip(left.magnitude, right.magnitude).reversed() where outcome == .equal {
            outcome = TermComparison.compare(left, right)
        }
        return left.isNegative ? outcome.reversed : outcome
    }
}
