// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

// Reads the parts of a request. Terms that are only passed on do not become values.
extension ErlangTermReader {
    /// Enters a tuple with `count` elements; its first element comes next.
    ///
    /// - Returns: False for another term, which stays unread.
    mutating func enterTuple(of count: Int) -> Bool {
        var ahead = self
        guard ahead.readTuple() == count else { return false }
        self = ahead
        return true
    }

    /// Returns false for another term, which stays unread.
    mutating func takeAtom(_ name: StaticString) -> Bool {
        var ahead = self
        guard ahead.readAtom()?.matches(name) == true else { return false }
        self = ahead
        return true
    }

    /// Takes an integer from 0 to 2^64 − 1; nil for another term, which stays unread.
    mutating func takeUnsigned() -> UInt64? {
        var ahead = self
        guard let value = ahead.readWideInteger(), let number = UInt64(exactly: value) else { return nil }
        self = ahead
        return number
    }

    /// Skips the next term.
    ///
    /// - Returns: Its range of bytes; nil if they are no term.
    mutating func skipRange() -> Range<Int>? {
        let start = offset
        guard skip() != nil else { return nil }
        return start..<offset
    }
}
