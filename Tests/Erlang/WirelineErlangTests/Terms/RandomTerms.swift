// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineErlang

/// Random terms of every kind.
struct RandomTerms {
    private(set) var random: SeededGenerator
    /// Whether closures may appear: text cannot say them, and Erlang's order of them depends on its own memory.
    var hasClosures = true

    init(_ random: SeededGenerator) { self.random = random }

    mutating func next(depth: Int = 4) -> ErlangTerm {
        guard depth > 0, below(3) > 0 else { return leaf() }
        switch below(hasClosures ? 7 : 6) {
        case 0: return .list(terms(depth))
        case 1: return .list(terms(depth), tail: next(depth: depth - 1))
        case 2, 3: return .tuple(terms(depth))
        case 4: return .map(map(depth))
        case 5: return .list((0..<below(6)).map { _ in .integer(Int64(below(300))) })
        default: return .function(.closure(closure(depth)))
        }
    }

    private mutating func terms(_ depth: Int) -> [ErlangTerm] { (0..<below(5)).map { _ in next(depth: depth - 1) } }

    private mutating func map(_ depth: Int) -> ErlangMap {
        var map = ErlangMap()
        for _ in 0..<(below(8) == 0 ? below(40) : below(4)) { map[next(depth: depth - 1)] = next(depth: depth - 1) }
        return map
    }

    private mutating func leaf() -> ErlangTerm {
        switch below(13) {
        case 0, 1, 2: return integer()
        case 3: return .float(float())
        case 4, 5: return .atom(atom())
        case 6: return .binary(random.bytes(below(20)))
        case 7: return .text(String.random(using: &random))
        case 8: return ErlangBits(random.bytes(1 + below(4)), lastBitCount: 1 + below(7)).map { .bits($0) } ?? .list([])
        case 9: return .characters(String.random(using: &random))
        case 10: return .pid(pid())
        case 11:
            return .port(ErlangPort(node: node(), id: random.next() >> UInt64(below(64)), creation: creation()))
        default:
            if below(3) == 0 {
                return .function(.exported(module: atom(), name: atom(), arity: UInt8(below(256))))
            }
            let words = (0..<1 + below(5)).map { _ in UInt32.random(in: 0..<1 << 18, using: &random) }
            return ErlangReference(node: node(), creation: creation(), words: words).map { .reference($0) } ?? .list([])
        }
    }

    mutating func integer() -> ErlangTerm {
        switch below(4) {
        case 0: return .integer(Int64(below(600)) - 300)
        case 1: return .integer(Int64(truncatingIfNeeded: random.next()) >> Int64(below(64)))
        case 2:
            let edge = Int128(1) << Int128(below(100)) - 1 + Int128(below(3))
            return ErlangTerm(below(2) == 0 ? edge : -edge)
        default: return ErlangTerm(isNegative: below(2) == 0, magnitude: random.bytes(below(below(20) == 0 ? 400 : 12)))
        }
    }

    mutating func float() -> Double {
        switch below(4) {
        case 0: return Double(below(100)) - 50
        case 1: return Double(random.next() >> UInt64(below(64)))
        default:
            let value = Double(bitPattern: random.next())
            return value.isFinite ? value : 1.5
        }
    }

    private mutating func atom() -> ErlangAtom {
        let names: [ErlangAtom] = [
            "ok", "error", "undefined", "a b", "Name", "", "end", "it's", "maybe", "中", "å", "a@b",
        ]
        return below(8) == 0 ? ErlangAtom(String.random(using: &random)) : names[below(names.count)]
    }

    private mutating func node() -> ErlangAtom { ["a@127.0.0.1", "node b@host", "c@10.0.0.4"][below(3)] }

    private mutating func creation() -> UInt32 { UInt32(1 + below(3)) }

    private mutating func pid() -> ErlangPID {
        ErlangPID(
            node: node(), id: UInt32(truncatingIfNeeded: random.next() >> UInt64(below(32))), serial: UInt32(below(3)),
            creation: creation())
    }

    private mutating func closure(_ depth: Int) -> ErlangClosure {
        ErlangClosure(
            module: "lists", arity: UInt8(below(4)), index: UInt32(below(9)), uniqueness: random.bytes(16),
            oldIndex: Int64(below(9)), oldUniqueness: Int64(below(1 << 27)), creator: pid(), values: terms(depth))
    }

    mutating func number() -> ErlangTerm {
        // Often numbers that are near each other.
        let edge = Int128(1) << Int128(50 + below(70))
        let value = (edge + Int128(below(5)) - 2) * (below(2) == 0 ? 1 : -1)
        switch below(4) {
        case 0: return ErlangTerm(value)
        case 1: return .float(Double(value))
        case 2: return .float(Double(below(9)) / 2 - 2)
        default: return integer()
        }
    }

    /// Two terms that are equal, or differ in one place.
    mutating func similarTerms() -> (ErlangTerm, ErlangTerm) {
        let (left, right) = (below(3) == 0 ? number() : leaf(), below(3) == 0 ? number() : leaf())
        let (other, another) = (number(), number())
        return switch below(6) {
        case 0: (left, right)
        case 1: (.tuple(other, left), .tuple(another, right))
        case 2: (.list([other, left]), .list([other, right], tail: another))
        case 3: (.list([left, other]), .list([left], tail: right))
        case 4: ([left: other, 1: "a"], [right: another, 1: "a"])
        default: ([other: left], [other: right])
        }
    }

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &random) }
}
