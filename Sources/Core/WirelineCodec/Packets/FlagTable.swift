// SPDX-License-Identifier: Apache-2.0

/// A test of flags of a ``HeaderProgram``.
struct FlagMask: Equatable, Sendable {
    var mask: UInt32 = 0
    /// The flags that must be set; the others in the mask must not be.
    var expected: UInt32 = 0

    static let never = FlagMask(mask: 0, expected: 1)

    @inline(__always)
    func holds(_ flags: UInt32) -> Bool { flags & mask == expected }
}

extension FlagMask {
    init(flag: UInt8, isSet: Bool) {
        mask = 1 << UInt32(flag)
        expected = isSet ? mask : 0
    }

    /// Returns the term that holds if both do; nil if they contradict each other.
    fileprivate func and(_ other: FlagMask) -> FlagMask? {
        let contradiction = (expected ^ other.expected) & mask & other.mask
        guard contradiction == 0 else { return nil }
        return FlagMask(mask: mask | other.mask, expected: expected | other.expected)
    }
}

/// A test of one number of a header, and the flag that says whether it holds.
struct NumberTest: Equatable {
    /// The position of the field in the header.
    let field: Int
    /// Whether the test asks for a bit shared with ``number``; otherwise it compares.
    let isOfBits: Bool
    /// The smallest number for which the test holds, as bits of the field.
    let number: UInt64
    /// The largest such number minus the smallest.
    let span: UInt64
    var flag: UInt8 = 0

    static func == (left: NumberTest, right: NumberTest) -> Bool {
        (left.field, left.isOfBits, left.number, left.span) == (right.field, right.isOfBits, right.number, right.span)
    }
}

extension NumberTest {
    /// Returns the test of a comparison, and whether the comparison holds if the test does not.
    ///
    /// - Returns: Nil if the field's bits are not the number.
    fileprivate static func make(
        _ field: Int, _ comparison: WireCondition.Comparison, _ number: Int128, _ format: PacketField.Format
    ) -> (test: NumberTest, isNegated: Bool)? {
        if case .varint(let varint) = format, varint.encoding != .unsigned { return nil }
        let range = format.range
        switch comparison {
        case .equal: return (NumberTest(field, number, number, range), false)
        case .unequal: return (NumberTest(field, number, number, range), true)
        case .less: return (NumberTest(field, range.lowerBound, number - 1, range), false)
        case .lessOrEqual: return (NumberTest(field, range.lowerBound, number, range), false)
        case .greater: return (NumberTest(field, range.lowerBound, number, range), true)
        case .greaterOrEqual: return (NumberTest(field, range.lowerBound, number - 1, range), true)
        case .sharesBit:
            // A negative number has all bits beyond those of its field.
            guard range.lowerBound == 0 || range.contains(number) else { return nil }
            let bits = UInt64(truncatingIfNeeded: number) & format.loadedBits
            return (NumberTest(field: field, isOfBits: true, number: bits, span: 0), false)
        }
    }

    /// Tests whether a number is between two. If these are not in the range, the test never holds.
    private init(_ field: Int, _ least: Int128, _ most: Int128, _ range: ClosedRange<Int128>) {
        let most = min(most, range.upperBound)
        guard least <= most, least >= range.lowerBound else {
            self.init(field: field, isOfBits: true, number: 0, span: 0)
            return
        }
        let number = UInt64(truncatingIfNeeded: least)
        self.init(field: field, isOfBits: false, number: number, span: UInt64(most - least))
    }

    /// Returns this test or its opposite: the one that does not hold for 0, the value of an absent field.
    ///
    /// - Parameter mask: The bits of the field.
    fileprivate func failingForZero(_ mask: UInt64) -> (test: NumberTest, isNegated: Bool) {
        guard !isOfBits, (0 &- number) & mask <= span else { return (self, false) }
        // The opposite of a test that always holds is one that never does.
        guard span < mask else { return (NumberTest(field: field, isOfBits: true, number: 0, span: 0), true) }
        let next = (number &+ span &+ 1) & mask
        return (NumberTest(field: field, isOfBits: false, number: next, span: mask - span - 1), true)
    }
}

/// The tests in the conditions of a layout, each with a flag; all flags are clear before a header is read.
struct FlagTable {
    private static let mostCount = 32
    private static let mostAlternatives = 16

    private let header: [PacketField]
    private var tests: [NumberTest] = []
    private var count = 0

    /// Nil if the conditions need more than flags can express.
    init?(_ header: [PacketField], _ conditions: [PlacedCondition?]) {
        self.header = header
        for case let condition? in conditions {
            guard collect(condition) else { return nil }
        }
    }

    func tests(of field: Int) -> [NumberTest] { tests.filter { $0.field == field } }

    /// Returns an unused flag; nil if there are too many.
    mutating func addFlag() -> UInt8? {
        guard count < Self.mostCount else { return nil }
        defer { count += 1 }
        return UInt8(count)
    }

    private mutating func collect(_ condition: PlacedCondition) -> Bool {
        switch condition {
        case .not(let condition): return collect(condition)
        case .and(let left, let right), .or(let left, let right): return collect(left) && collect(right)
        case .isSet, .compares:
            guard var test = literal(condition)?.test else { return false }
            guard !tests.contains(test) else { return true }
            guard let flag = addFlag() else { return false }
            test.flag = flag
            tests.append(test)
            return true
        }
    }

    /// Returns the test of a condition without `not`, `and` and `or`.
    private func literal(_ condition: PlacedCondition) -> (test: NumberTest, isNegated: Bool)? {
        switch condition {
        case .isSet(let field): literal(field, .unequal, 0)
        case .compares(let field, let comparison, let number): literal(field, comparison, number)
        case .not, .and, .or: nil
        }
    }

    private func literal(
        _ field: Int, _ comparison: WireCondition.Comparison, _ number: Int128
    ) -> (test: NumberTest, isNegated: Bool)? {
        let format = header[field].format
        guard let made = NumberTest.make(field, comparison, number, format) else { return nil }
        let result = made.test.failingForZero(format.loadedBits)
        return (result.test, result.isNegated != made.isNegated)
    }

    /// Returns the flags with which a condition holds; nil if there are too many alternatives.
    func alternatives(of condition: PlacedCondition) -> [FlagMask]? {
        alternatives(of: condition, isNegated: false)
    }

    private func alternatives(of condition: PlacedCondition, isNegated: Bool) -> [FlagMask]? {
        switch condition {
        case .not(let condition): return alternatives(of: condition, isNegated: !isNegated)
        case .and(let left, let right), .or(let left, let right):
            guard let left = alternatives(of: left, isNegated: isNegated),
                let right = alternatives(of: right, isNegated: isNegated)
            else { return nil }
            let isAnd = if case .and = condition { true } else { false }
            let all = isAnd != isNegated ? left.flatMap { term in right.compactMap { term.and($0) } } : left + right
            return all.count <= Self.mostAlternatives ? all : nil
        case .isSet, .compares:
            guard let literal = literal(condition), let test = tests.first(where: { $0 == literal.test }) else {
                return nil
            }
            return [FlagMask(flag: test.flag, isSet: literal.isNegated == isNegated)]
        }
    }
}

extension HeaderInstruction {
    mutating func test(_ test: NumberTest) {
        use = test.isOfBits ? .testBits : .testRange
        flag = test.flag
        number = test.number
        span = test.span
    }
}
