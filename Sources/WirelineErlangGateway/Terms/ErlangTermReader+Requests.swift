// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

// The parts of a request, found without making values of terms that are for somebody else.
extension ErlangTermReader {
    /// Enters a tuple of so many elements: the first of them is next then.
    ///
    /// - Returns: Whether the next term is such a tuple. If not, nothing has moved.
    mutating func enterTuple(of count: Int) -> Bool {
        var ahead = self
        guard ahead.readTuple() == count else { return false }
        self = ahead
        return true
    }

    /// Takes an atom.
    ///
    /// - Returns: Whether it was next. If not, nothing has moved.
    mutating func takeAtom(_ name: StaticString) -> Bool {
        var ahead = self
        guard ahead.readAtom()?.matches(name) == true else { return false }
        self = ahead
        return true
    }

    /// Takes an integer from 0 to 2^64 − 1; nil for other terms, and nothing has moved then.
    mutating func takeUnsigned() -> UInt64? {
        var ahead = self
        guard let value = ahead.readWideInteger(), let number = UInt64(exactly: value) else { return nil }
        self = ahead
        return number
    }

    /// Steps over the next term.
    ///
    /// - Returns: Its bytes, as offsets; nil if the bytes are no term.
    mutating func skipRange() -> Range<Int>? {
        let start = offset
        guard skip() != nil else { return nil }
        return start..<offset
    }
}
