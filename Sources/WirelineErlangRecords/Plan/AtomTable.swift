// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

/// The atoms of some names, found by their bytes.
final class AtomTable: Sendable {
    /// The atoms as terms, in the order of the names.
    let encoded: [[UInt8]]
    private let names: [[UInt8]]
    /// The first name with a hash.
    private let indices: [UInt64: Int]

    init(_ names: [String]) {
        self.names = names.map { Array($0.utf8) }
        encoded = names.map(ErlangTermWriter.encoded)
        indices = Dictionary(
            self.names.enumerated().map { (ErlangAtomSpan.quickHash($1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Reads an atom, and returns the index of its name; nil if something else comes next, which is then not read.
    func readIndex(from reader: inout ErlangTermReader) -> Int? {
        var ahead = reader
        guard let atom = ahead.readAtom(), let index = index(of: atom) else { return nil }
        reader = ahead
        return index
    }

    /// Returns the index of the name that an atom is; nil if it is none of them.
    func index(of atom: borrowing ErlangAtomSpan) -> Int? {
        guard let index = indices[atom.quickHash] else { return nil }
        if atom.matches(names[index]) { return index }
        // Two names with one hash.
        return names.indices.first { atom.matches(names[$0]) }
    }
}
