// SPDX-License-Identifier: Apache-2.0

/// Says whether bytes are UTF-8, with a look-up and a shift for each and no branch (Unicode 16, table 3-7).
///
/// A state is where its own six bits stand in a row of the table, and a row says for every state what it becomes with one
/// byte: shifted by the state, the row begins with the next one. Whatever stands above the six bits is shifted out, for a
/// shift looks at the lowest six of its count alone.
package enum UTF8Automaton {
    /// Where a text stands between two bytes.
    package enum State: UInt64, CaseIterable, Sendable {
        /// Somewhere before, there was a byte that no text can have there: that is not forgotten.
        case invalid = 0
        case betweenCharacters = 6
        /// So many bytes are needed yet, of 80 to BF each.
        case needsOne = 12
        case needsTwo = 18
        case needsThree = 24
        /// Behind E0, ED, F0 and F4 the next byte is one of fewer, which rules out overlong forms, surrogates and numbers
        /// above U+10FFFF.
        case behindE0 = 30
        case behindED = 36
        case behindF0 = 42
        case behindF4 = 48

        /// What it becomes with a byte.
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

    /// A row for each byte. It is made once and stays.
    @safe private nonisolated(unsafe) static let rows: UnsafePointer<UInt64> = {
        let rows = UnsafeMutablePointer<UInt64>.allocate(capacity: 256)
        for byte in UInt8.min...UInt8.max {
            let row = State.allCases.reduce(UInt64(0)) { $0 | $1.next(byte).rawValue << $1.rawValue }
            // SAFETY: there is room for a row of every byte.
            unsafe rows.advanced(by: Int(byte)).initialize(to: row)
        }
        return unsafe UnsafePointer(rows)
    }()

    /// Where a text stands behind some bytes, of which the first begins a character.
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
    /// Whether the next 32 bytes are ASCII.
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
