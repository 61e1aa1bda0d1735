// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The wanted groups. They are found in bytes by a hash, so that no term is made for other groups.
struct WantedGroups {
    /// The key is the hash of the group.
    private var groups: [UInt64: [ErlangTerm]] = [:]

    /// - Parameter group: A term that can be written.
    /// - Returns: Whether the group is new.
    mutating func insert(_ group: ErlangTerm) -> Bool {
        guard let content = try? group.content() else { return false }
        let number = Self.number(ErlangTermReader(content.rawSpan))
        guard groups[number]?.contains(group) != true else { return false }
        groups[number, default: []].append(group)
        return true
    }

    /// - Returns: The next term if it is a wanted group; nil for another term, which stays unread.
    func read(_ reader: inout ErlangTermReader) -> ErlangTerm? {
        guard let candidates = groups[Self.number(reader)] else { return nil }
        var ahead = reader
        guard let term = try? ahead.readTerm(), candidates.contains(term) else { return nil }
        reader = ahead
        return term
    }

    /// A hash of a term. Equal terms have the same one, whatever their form.
    private static func number(_ reader: ErlangTermReader) -> UInt64 {
        var reader = reader
        guard let count = reader.readTuple() else { return plainNumber(&reader) ?? 0 }
        var number = UInt64(count)
        for _ in 0..<min(count, 8) {
            // Stop at the first part that contains other terms.
            guard let part = plainNumber(&reader) else { break }
            number = number &* 31 &+ part
        }
        return number
    }

    /// The hash of a term without parts; nil for other terms, which stay unread.
    private static func plainNumber(_ reader: inout ErlangTermReader) -> UInt64? {
        if let atom = reader.readAtom() { return atom.quickHash }
        if let integer = reader.readInteger() { return UInt64(bitPattern: integer) }
        guard let bytes = reader.readBinary() else { return nil }
        return ErlangAtomSpan(bytes, isLatin: false).quickHash
    }
}
