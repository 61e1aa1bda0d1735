// SPDX-License-Identifier: Apache-2.0

/// Finds atoms of known names by their bytes.
final class AtomTable: Sendable {
    /// In the order of the names.
    let encoded: [[UInt8]]
    private let names: [[UInt8]]
    /// The first name for each hash.
    private let indices: [UInt64: Int]

    init(_ names: [String]) {
        self.names = names.map { Array($0.utf8) }
        encoded = names.map(ErlangTermWriter.encoded)
        indices = Dictionary(
            self.names.enumerated().map { (ErlangAtomSpan.quickHash($1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Nil if the next term is no atom of the table; it then stays unread.
    func readIndex(from reader: inout ErlangTermReader) -> Int? {
        var ahead = reader
        guard let atom = ahead.readAtom(), let index = index(of: atom) else { return nil }
        reader = ahead
        return index
    }

    /// Nil if the table lacks the atom.
    func index(of atom: borrowing ErlangAtomSpan) -> Int? {
        guard let index = indices[atom.quickHash] else { return nil }
        if atom.matches(names[index]) { return index }
        // Two names have the same hash.
        return names.indices.first { atom.matches(names[$0]) }
    }
}
