// SPDX-License-Identifier: Apache-2.0

/// Validates UTF-8 with one table look-up and one shift for each byte, without branches (Unicode 16, table 3-7).
///
/// The table has one row for each byte value. A row contains the next state for every current state, six bits each. The
/// number of a state is its bit position in a row, so a row shifted right by the state begins with the next state. The
/// bits above the six do no harm, because a shift uses only the lowest six bits of its count.
package enum UTF8Automaton {
    package enum State: UInt64, CaseIterable, Sendable {
        /// An earlier byte was invalid; this state is final.
        case invalid = 0
        case betweenCharacters = 6
        /// One, two or three more bytes are needed, each 80 to BF.
        case needsOne = 12
        case needsTwo = 18
        case needsThree = 24
        /// After E0, ED, F0 and F4 fewer next bytes are valid.
        ///
        /// This rules out overlong forms, surrogates and numbers above U+10FFFF.
        case behindE0 = 30
        case behindED = 36
        case behindF0 = 42
        case behindF4 = 48

        package func next(_ byte: UInt8) -> State {
            switch (self, byte) {
            case (.betweenCharacters, ..<0x80): .betweenCharacters
            case (.betweenCharacters, 0xC2...0xDF): .needsOne
            case (.betweenCharacters, 0xE0): .behindE0
            case (.betweenCharacters, 0xED): .behindED
            case (.betweenCharacters, 0xE1...0xEF): .needsTwo
            case (.betweenCharacters, 0xF0): .behindF0
            case (.betweenCharacters, 0xF1...0xF3): .needsThree
            case (.betweenCharacters, 0xF4): .behindF4
            case (.needsOne, 0x80...0xBF): .betweenCharacters
            case (.needsTwo, 0x80...0xBF), (.behindE0, 0xA0...0xBF), (.behindED, 0x80...0x9F): .needsOne
            case (.needsThree, 0x80...0xBF), (.behindF0, 0x90...0xBF), (.behindF4, 0x80...0x8F): .needsTwo
            default: .invalid
            }
        }
    }

    /// The rows, one for each byte value; made once and never freed.
    ///
    /// INVARIANT: threads may share the rows, because they are written before Swift publishes the pointer, and later
    /// they are only read.
    @safe private nonisolated(unsafe) static let rows: UnsafePointer<UInt64> = {
        let rows = UnsafeMutablePointer<UInt64>.allocate(capacity: 256)
        for byte in UInt8.min...UInt8.max {
            let row = State.allCases.reduce(UInt64(0)) { $0 | $1.next(byte).rawValue << $1.rawValue }
            // SAFETY: the memory has space for 256 rows, one for each byte.
            unsafe rows.advanced(by: Int(byte)).initialize(to: row)
        }
        return unsafe UnsafePointer(rows)
    }()

    /// Returns the state after the bytes; the first one must begin a character.
    @inline(never)
    static func state(behind bytes: RawSpan) -> State {
        let rows = rows
        var state = State.betweenCharacters.rawValue
        var offset = 0
        while offset &+ 32 <= bytes.byteCount {
            if state & 63 != State.betweenCharacters.rawValue || !bytes.isASCII(from: offset) {
                for place in 0..<4 {
                    var word = bytes.word(offset &+ 8 &* place)
                    for _ in 0..<8 {
                        // SAFETY: there is a row for every byte.
                        state = unsafe rows[Int(truncatingIfNeeded: word & 0xFF)] &>> state
                        word &>>= 8
                    }
                }
            }
            offset &+= 32
        }
        while offset < bytes.byteCount {
            // SAFETY: there is a row for every byte.
            state = unsafe rows[Int(bytes.byte(offset))] &>> state
            offset &+= 1
        }
        return State(rawValue: state & 63) ?? .invalid
    }
}

extension RawSpan {
    @inline(__always)
    fileprivate func isASCII(from offset: Int) -> Bool {
        let bits = word(offset) | word(offset &+ 8) | word(offset &+ 16) | word(offset &+ 24)
        return bits & 0x8080_8080_8080_8080 == 0
    }

    @inline(__always)
    func word(_ offset: Int) -> UInt64 {
        // SAFETY: callers compare offset + 8 with byteCount first; any bits are an integer.
        UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    func byte(_ offset: Int) -> UInt8 {
        // SAFETY: callers compare the offset with byteCount first.
        unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }
}
