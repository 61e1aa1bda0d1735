// SPDX-License-Identifier: Apache-2.0

/// A value of Erlang.
///
/// Two terms are equal if Erlang's `=:=` says so: an integer never equals a float. `0.0` and `-0.0` are equal, as they
/// were up to OTP 26.
///
/// Literals make terms: a string an atom, and numbers, arrays and dictionaries what one expects.
///
///     let request: ErlangTerm = .tuple("enter", 7, .text("hi"), ["low", "high"])    // {enter, 7, <<"hi">>, [low, high]}
public enum ErlangTerm: Hashable, Sendable {
    /// A name, such as `ok`.
    case atom(ErlangAtom)
    /// An integer of 64 bits.
    case integer(Int64)
    /// An integer that needs more than 64 bits.
    case bigInteger(ErlangBigInteger)
    /// A float. A NaN or an infinite number is refused when it is written: Erlang has neither.
    case float(Double)
    /// Bytes: `<<1, 2, 3>>`. Texts are usually sent as binaries of UTF-8.
    case binary([UInt8])
    /// Bits that do not fill their last byte: `<<1, 5:3>>`.
    case bits(ErlangBits)
    /// A list: `[a, b]`. Erlang's strings are lists of their characters' numbers.
    case list([ErlangTerm])
    /// A list that ends with something else than a list: `[a | b]`.
    indirect case improperList(ErlangImproperList)
    /// A tuple: `{a, b}`. Erlang's records are tuples that begin with the record's name.
    case tuple([ErlangTerm])
    /// A map: `#{a => b}`.
    case map(ErlangMap)
    /// A process.
    indirect case pid(ErlangPID)
    /// A port.
    indirect case port(ErlangPort)
    /// A reference.
    indirect case reference(ErlangReference)
    /// A function.
    indirect case function(ErlangFunction)
}

/// A list that ends with something else than a list.
public struct ErlangImproperList: Hashable, Sendable {
    /// What stands before the `|`, at least one term.
    public let elements: [ErlangTerm]
    /// What stands after it, which is no list.
    public let tail: ErlangTerm

    fileprivate init(elements: [ErlangTerm], tail: ErlangTerm) {
        self.elements = elements
        self.tail = tail
    }
}

extension ErlangTerm {
    /// Makes a list of elements and what stands after the `|`.
    ///
    /// As in Erlang, `[a | [b]]` is `[a, b]`, and without any elements the result is the tail.
    public static func list(_ elements: [ErlangTerm], tail: ErlangTerm) -> ErlangTerm {
        if elements.isEmpty { return tail }
        switch tail {
        case .list(let rest): return .list(elements + rest)
        case .improperList(let rest):
            return .improperList(ErlangImproperList(elements: elements + rest.elements, tail: rest.tail))
        default: return .improperList(ErlangImproperList(elements: elements, tail: tail))
        }
    }

    /// Makes a tuple: `.tuple("tick", 1)` is `{tick, 1}`.
    public static func tuple(_ first: ErlangTerm, _ others: ErlangTerm...) -> ErlangTerm { .tuple([first] + others) }

    /// Makes a binary of a text's UTF-8.
    public static func text(_ text: String) -> ErlangTerm { .binary(Array(text.utf8)) }

    /// Makes a string as Erlang has it: a list of the characters' numbers.
    public static func characters(_ text: String) -> ErlangTerm {
        .list(text.unicodeScalars.map { .integer(Int64($0.value)) })
    }
}

extension ErlangTerm: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// Makes an atom.
    public init(stringLiteral name: String) { self = .atom(ErlangAtom(name)) }

    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// Makes a float.
    public init(floatLiteral value: Double) { self = .float(value) }
}

extension ErlangTerm: ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Makes one of the atoms `true` and `false`.
    public init(booleanLiteral value: Bool) { self = .atom(ErlangAtom(value ? "true" : "false")) }

    /// Makes a list.
    public init(arrayLiteral elements: ErlangTerm...) { self = .list(elements) }

    /// Makes a map.
    public init(dictionaryLiteral elements: (ErlangTerm, ErlangTerm)...) {
        var map = ErlangMap()
        for (key, value) in elements { map[key] = value }
        self = .map(map)
    }
}
