// SPDX-License-Identifier: Apache-2.0

extension ErlangTerm: Comparable {
    /// Whether Erlang's `<` says so; `1` comes before `1.0`, which Erlang takes for neither smaller nor greater.
    ///
    /// Numbers come first, then atoms, references, functions, ports, processes, tuples, maps, lists and bit strings.
    /// Functions, ports, processes and references of different nodes have the order of their parts, which Erlang does
    /// not promise either.
    public static func < (left: Self, right: Self) -> Bool {
        switch TermComparison.compare(left, right, .byValue) {
        case .ascending: true
        case .descending: false
        case .equal: TermComparison.compare(left, right, .byKind) == .ascending
        }
    }

    /// Whether Erlang's `==` says so: as `==` here, but `1` and `1.0` are equal, also inside of other terms.
    public func isNumericallyEqual(to other: ErlangTerm) -> Bool {
        TermComparison.compare(self, other, .byValue) == .equal
    }
}

enum TermComparison {
    enum Outcome {
        case ascending
        case equal
        case descending
    }

    enum Numbers {
        /// By their values: 1 equals 1.0.
        case byValue
        /// All integers come before all floats, as with the keys of a map.
        case byKind
    }

    static func compare(_ left: ErlangTerm, _ right: ErlangTerm, _ numbers: Numbers) -> Outcome {
        let ranks = compare(rank(left), rank(right))
        guard ranks == .equal else { return ranks }
        return switch (left, right) {
        case (.atom(let left), .atom(let right)): compare(left, right)
        case (.tuple(let left), .tuple(let right)):
            compare(left.count, right.count).then { elements(left, right, numbers) }
        case (.map(let left), .map(let right)): maps(left, right, numbers)
        case (.pid(let left), .pid(let right)):
            compare(left.serial, right.serial).then { compare(left.id, right.id) }
                .then { nodes(left.node, left.creation, right.node, right.creation) }
        case (.port(let left), .port(let right)):
            nodes(left.node, left.creation, right.node, right.creation).then { compare(left.id, right.id) }
        case (.reference(let left), .reference(let right)):
            nodes(left.node, left.creation, right.node, right.creation).then { compare(left, right) }
        case (.function(let left), .function(let right)): functions(left, right, numbers)
        default:
            if let left = ListView(left), let right = ListView(right) {
                lists(left, right, numbers)
            } else if let left = BitView(left), let right = BitView(right) {
                bits(left, right)
            } else {
                NumberComparison.compare(left, right, numbers)
            }
        }
    }

    static func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Outcome {
        left < right ? .ascending : left == right ? .equal : .descending
    }

    private static func rank(_ term: ErlangTerm) -> Int {
        switch term {
        case .integer, .bigInteger, .float: 0
        case .atom: 1
        case .reference: 2
        case .function: 3
        case .port: 4
        case .pid: 5
        case .tuple: 6
        case .map: 7
        case .list(let elements): elements.isEmpty ? 8 : 9
        case .improperList: 9
        case .binary, .bits: 10
        }
    }

    // MARK: Names

    private static func compare(_ left: ErlangAtom, _ right: ErlangAtom) -> Outcome {
        left.name.utf8.elementsEqual(right.name.utf8)
            ? .equal : left.name.utf8.lexicographicallyPrecedes(right.name.utf8) ? .ascending : .descending
    }

    private static func nodes(
        _ left: ErlangAtom, _ leftCreation: UInt32, _ right: ErlangAtom, _ rightCreation: UInt32
    ) -> Outcome {
        compare(left, right).then { compare(leftCreation, rightCreation) }
    }

    private static func compare(_ left: ErlangReference, _ right: ErlangReference) -> Outcome {
        var outcome = compare(left.count, right.count)
        for index in (0..<min(left.count, right.count)).reversed() where outcome == .equal {
            outcome = compare(left[index], right[index])
        }
        return outcome
    }

    private static func functions(_ left: ErlangFunction, _ right: ErlangFunction, _ numbers: Numbers) -> Outcome {
        switch (left, right) {
        case (.closure, .exported): .ascending
        case (.exported, .closure): .descending
        case (.exported(let leftModule, let leftName, let leftArity), .exported(let module, let name, let arity)):
            compare(leftModule, module).then { compare(leftName, name) }.then { compare(leftArity, arity) }
        case (.closure(let left), .closure(let right)):
            compare(left.module, right.module).then { compare(left.oldIndex, right.oldIndex) }
                .then { compare(left.oldUniqueness, right.oldUniqueness) }
                .then { compare(left.values.count, right.values.count) }
                .then { elements(left.values, right.values, numbers) }
        }
    }

    // MARK: Terms of terms

    private static func elements(_ left: [ErlangTerm], _ right: [ErlangTerm], _ numbers: Numbers) -> Outcome {
        for (left, right) in zip(left, right) {
            let outcome = compare(left, right, numbers)
            if outcome != .equal { return outcome }
        }
        return .equal
    }

    /// First the number of keys, then all keys, then all values.
    private static func maps(_ left: ErlangMap, _ right: ErlangMap, _ numbers: Numbers) -> Outcome {
        guard left.count == right.count else { return compare(left.count, right.count) }
        let (left, right) = (inOrder(left), inOrder(right))
        return elements(left.map(\.key), right.map(\.key), .byKind)
            .then { elements(left.map(\.value), right.map(\.value), numbers) }
    }

    private static func inOrder(_ map: ErlangMap) -> [ErlangMap.Pair] {
        map.pairs.sorted { compare($0.key, $1.key, .byKind) == .ascending }
    }

    private struct ListView {
        let elements: [ErlangTerm]
        let tail: ErlangTerm?

        init?(_ term: ErlangTerm) {
            switch term {
            case .list(let elements): (self.elements, tail) = (elements, nil)
            case .improperList(let list): (elements, tail) = (list.elements, list.tail)
            default: return nil
            }
        }
    }

    private static func lists(_ left: ListView, _ right: ListView, _ numbers: Numbers) -> Outcome {
        let outcome = elements(left.elements, right.elements, numbers)
        guard outcome == .equal else { return outcome }
        let count = min(left.elements.count, right.elements.count)
        // Both lists end here without a tail.
        if left.elements.count == right.elements.count, left.tail == nil, right.tail == nil { return .equal }
        return compare(end(of: left, after: count), end(of: right, after: count), numbers)
    }

    /// What remains of a list after `count` elements. One remaining element is enough: the other list has none.
    private static func end(of list: ListView, after count: Int) -> ErlangTerm {
        count < list.elements.count ? .list(Array(list.elements[count...].prefix(1))) : list.tail ?? .list([])
    }

    // MARK: Bits

    private struct BitView {
        let bytes: [UInt8]
        let bitCount: Int

        init?(_ term: ErlangTerm) {
            switch term {
            case .binary(let bytes): (self.bytes, bitCount) = (bytes, 8 * bytes.count)
            case .bits(let bits): (bytes, bitCount) = (bits.bytes, bits.bitCount)
            default: return nil
            }
        }
    }

    private static func bits(_ left: BitView, _ right: BitView) -> Outcome {
        let common = min(left.bitCount, right.bitCount)
        for index in 0..<common / 8 where left.bytes[index] != right.bytes[index] {
            return compare(left.bytes[index], right.bytes[index])
        }
        if common % 8 != 0 {
            let mask: UInt8 = 0xFF << UInt8(8 - common % 8)
            let outcome = compare(left.bytes[common / 8] & mask, right.bytes[common / 8] & mask)
            if outcome != .equal { return outcome }
        }
        return compare(left.bitCount, right.bitCount)
    }
}

extension TermComparison.Outcome {
    /// Uses the next comparison only if this one is equal.
    func then(_ next: () -> Self) -> Self { self == .equal ? next() : self }

    var reversed: Self {
        switch self {
        case .ascending: .descending
        case .equal: .equal
        case .descending: .ascending
        }
    }
}
