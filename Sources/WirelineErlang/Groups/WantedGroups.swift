// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The groups whose members are wanted. They are found in bytes by a number, so that no term is made for others.
struct WantedGroups {
    /// The groups with each number.
    private var groups: [UInt64: [ErlangTerm]] = [:]

    /// - Parameter group: A term that can be written.
    /// - Returns: Whether it was not wanted before.
    mutating func insert(_ group: ErlangTerm) -> Bool {
        guard let content = try? group.content() else { return false }
        let number = Self.number(ErlangTermReader(content.rawSpan))
        guard groups[number]?.contains(group) != true else { return false }
        groups[number, default: []].append(group)
        return true
    }

    /// Reads a term, if it is a group that is wanted.
    ///
    /// - Returns: nil for another term; nothing is read then.
    func read(_ reader: inout ErlangTermReader) -> ErlangTerm? {
        guard let candidates = groups[Self.number(reader)] else { return nil }
        var ahead = reader
        guard let term = try? ahead.readTerm(), candidates.contains(term) else { return nil }
        reader = ahead
        return term
    }

    /// A number that equal terms have in common, whatever their form. Few others have it.
    private static func number(_ reader: ErlangTermReader) -> UInt64 {
        var reader = reader
        guard let count = reader.readTuple() else { return plainNumber(&reader) ?? 0 }
        var number = UInt64(count)
        for _ in 0..<min(count, 8) {
            // What follows a term with terms is not looked at.
            guard let part = plainNumber(&reader) else { break }
            number = number &* 31 &+ part
        }
        return number
    }

    /// The number of a term without terms; nil for others, which are not read.
    private static func plainNumber(_ reader: inout ErlangTermReader) -> UInt64? {
        if let atom = reader.readAtom() { return atom.quickHash }
        if let integer = reader.readInteger() { return UInt64(bitPattern: integer) }
        guard let bytes = reader.readBinary() else { return nil }
        return ErlangAtomSpan(bytes, isLatin: false).quickHash
    }
}
