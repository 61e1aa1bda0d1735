// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

// Reads terms with the rules of the generated Erlang.
extension ErlangTermReader {
    /// The next term as a value for an error message; the atom `too_large` if it is nested too deeply.
    var value: ErlangTerm {
        var ahead = self
        return (try? ahead.readTerm()) ?? "too_large"
    }

    /// The error if the next term, an integer, is outside of the range.
    func outOfRange(_ range: ClosedRange<Int128>) -> ErlangRecordError {
        ErlangRecordError(
            .tuple("out_of_range", value, ErlangTerm(range.lowerBound), ErlangTerm(range.upperBound)))
    }

    var isAtUndefined: Bool {
        var ahead = self
        return ahead.readAtom()?.matches("undefined") ?? false
    }

    // MARK: Records and unions

    /// Returns a reader of the record's fields; nil if the next term is not that record.
    @_lifetime(copy self)
    func enterRecord(_ body: RecordBody) -> ErlangTermReader? {
        var ahead = self
        guard ahead.readTuple() == body.arity, ahead.readAtom()?.matches(body.atom) == true else { return nil }
        return ahead
    }

    /// Enters an arm of a union; its unknown tag and its value come next.
    ///
    /// - Returns: The index of the arm; nil if the next term is no arm.
    mutating func enterArm(of union: RecordUnion) -> Int? {
        var ahead = self
        let arity = ahead.readTuple() ?? 0
        guard let index = union.atoms.readIndex(from: &ahead), union.arms[index].arity == arity else { return nil }
        self = ahead
        return index
    }

    // MARK: Lists

    /// A proper list. If it is plain, its elements come next.
    struct List {
        let count: Int
        /// Whether the elements and `[]` come next. Otherwise call ``readElements()``.
        let isPlain: Bool
        /// Whether all elements are numbers below 256, encoded as a string.
        let isString: Bool
    }

    /// Enters a proper list; nil if the next term is none.
    ///
    /// - Complexity: O(*n*) in the bytes of the list, because only its end shows whether it is proper.
    mutating func enterList() -> List? {
        var ahead = self
        if let string = ahead.readString() {
            let count = string.byteCount
            if count == 0 { self = ahead }
            return List(count: count, isPlain: count == 0, isString: count > 0)
        }
        guard let count = ahead.readList() else { return nil }
        let elements = ahead
        guard count > 0 else {
            self = elements
            return List(count: 0, isPlain: true, isString: false)
        }
        for _ in 0..<count { ahead.skip() }
        if ahead.readList() == 0 {
            self = elements
            return List(count: count, isPlain: true, isString: false)
        }
        // Rarely, the tail is a list. Otherwise it is no proper list.
        guard case .list(let all) = value else { return nil }
        return List(count: all.count, isPlain: false, isString: false)
    }

    /// Reads a list that is not plain, and returns its elements as terms without a list around them.
    mutating func readElements() -> [UInt8] {
        var writer = ErlangTermWriter()
        guard case .list(let elements)? = try? readTerm() else { return [] }
        // A term that was read can always be written.
        for element in elements { try? writer.write(element) }
        return writer.bytes
    }

    /// Whether the test succeeds for one of the next `count` elements.
    func hasElement(among count: Int, where test: (inout ErlangTermReader) -> Bool) -> Bool {
        var ahead = self
        for _ in 0..<count {
            var element = ahead
            if test(&element) { return true }
            ahead.skip()
        }
        return false
    }

    // MARK: Floats

    enum SpecialFloat {
        case infinity, negativeInfinity
        case nan(UInt64)
    }

    /// Reads the replacement of a float that Erlang does not have; nil if another term comes next.
    mutating func readSpecialFloat(_ format: FloatFormat) -> SpecialFloat? {
        var ahead = self
        if let atom = ahead.readAtom() {
            let isNegative = atom.matches("neg_infinity")
            guard isNegative || atom.matches("infinity") else { return nil }
            self = ahead
            return isNegative ? .negativeInfinity : .infinity
        }
        guard ahead.readTuple() == 2, ahead.readAtom()?.matches("nan") == true, let bits = ahead.readWideInteger(),
            bits >= 0, format.bitFormat.range.contains(bits),
            format.value(ofBits: UInt64(bits)).isNaN
        else { return nil }
        self = ahead
        return .nan(UInt64(bits))
    }

    /// Also accepts an integer, as the nearest float.
    mutating func readReal() throws(ErlangRecordError) -> Double {
        if let value = readFloat() { return value }
        guard let term = try? readTerm() else { throw .wrongType("float") }
        switch term {
        case .integer(let value): return Double(value)
        case .bigInteger(let value):
            // As Erlang does: it starts with the most significant 64 bits.
            var sum = 0.0
            for place in stride(from: 0, to: value.magnitude.count, by: 8).reversed() {
                let word = value.magnitude[place..<min(place + 8, value.magnitude.count)].reversed()
                    .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                sum = sum * 18_446_744_073_709_551_616 + Double(word)
            }
            guard sum.isFinite else { throw ErlangRecordError("number_too_large") }
            return value.isNegative ? -sum : sum
        default: throw .wrongType("float")
        }
    }
}
