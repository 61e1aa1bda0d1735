// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct WireConditionTests {
    private let kind = WireCondition.Operand.field("kind")
    private let level = WireCondition.Operand.header("level")

    @Test(arguments: [
        (WireCondition.Comparison.equal, [false, true, false]), (.unequal, [true, false, true]),
        (.less, [true, false, false]), (.lessOrEqual, [true, true, false]), (.greater, [false, false, true]),
        (.greaterOrEqual, [false, true, true]),
    ])
    func `a comparison holds on its side of the number`(comparison: WireCondition.Comparison, expected: [Bool]) {
        let condition = WireCondition.compares(kind, comparison, 3)
        #expect([2, 3, 4].map { number in condition.holds { _ in number } } == expected)
    }

    @Test func `two numbers share a bit if one is set in both`() {
        let condition = WireCondition.compares(kind, .sharesBit, 0b0110)
        #expect(
            [0, 1, 2, 4, 8, 9, 15].map { number in condition.holds { _ in number } }
                == [false, false, true, true, false, false, true])
        #expect(WireCondition.compares(kind, .sharesBit, -1).holds { _ in -128 })
    }

    @Test func `an operand is set if it is not 0`() {
        #expect([-1, 0, 1].map { number in WireCondition.isSet(kind).holds { _ in number } } == [true, false, true])
    }

    @Test func `conditions combine as their words say`() {
        let (left, right) = (WireCondition.isSet(kind), WireCondition.isSet(level))
        let rows: [(Int128, Int128)] = [(0, 0), (0, 1), (1, 0), (1, 1)]
        func results(_ condition: WireCondition) -> [Bool] {
            rows.map { row in condition.holds { $0 == kind ? row.0 : row.1 } }
        }
        #expect(results(.and(left, right)) == [false, false, false, true])
        #expect(results(.or(left, right)) == [false, true, true, true])
        #expect(results(.not(left)) == [true, true, false, false])
        #expect(results(.or(.not(left), .and(left, right))) == [true, true, false, true])
    }

    @Test func `each operand is listed once, in the order of the tests`() {
        let condition = WireCondition.or(
            .and(.isSet(level), .compares(kind, .less, 2)), .not(.compares(level, .equal, 1)))
        #expect(condition.operands == [level, kind])
    }
}
