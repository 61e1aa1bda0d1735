// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A name that stands for itself, such as `ok`.
///
/// Two atoms are equal if their UTF-8 is. So atoms that Swift's strings take for the same text, in composed and in
/// decomposed form, are two atoms, as in Erlang. There is no table of atoms: an atom lives as long as its term.
public struct ErlangAtom: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The most characters (Unicode scalars) of an atom.
    public static let characterLimit = 255

    /// The atom's characters, without quotes. More than ``characterLimit`` are refused when the atom is written.
    public let name: String

    /// Makes an atom of its characters.
    public init(_ name: String) { self.name = name }

    /// Makes an atom of its characters.
    public init(stringLiteral name: String) { self.name = name }

    /// The atom as in Erlang's source text, in quotes if it needs them.
    public var description: String { ErlangTerm.atom(self).description }

    func matches(_ text: RawSpan) -> Bool {
        let utf8 = name.utf8
        guard utf8.count == text.byteCount else { return false }
        // SAFETY: both lend their bytes until the closures return.
        return unsafe text.withUnsafeBytes { text in
            let isEqual = unsafe utf8.withContiguousStorageIfAvailable { utf8 in
                unsafe UnsafeRawBufferPointer(utf8).hasSameBytes(as: text)
            }
            return unsafe isEqual ?? utf8.elementsEqual(text)
        }
    }

    var isTooLong: Bool {
        let byteCount = name.utf8.count
        return byteCount > Self.characterLimit && name.unicodeScalars.count > Self.characterLimit
    }
}

extension ErlangAtom: Hashable {
    /// Whether the UTF-8 of both is equal.
    public static func == (left: Self, right: Self) -> Bool {
        // A node's name is made once, so equal atoms mostly share their text in memory.
        guard !left.name.hasSameWords(as: right.name) else { return true }
        let (left, right) = (left.name.utf8, right.name.utf8)
        guard left.count == right.count else { return false }
        // SAFETY: both texts lend their bytes until the closures return.
        let isEqual = unsafe left.withContiguousStorageIfAvailable { left in
            unsafe right.withContiguousStorageIfAvailable { right in
                unsafe UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
            }
        }
        // Texts that Foundation has made may not lend their bytes.
        return isEqual.flatMap { $0 } ?? left.elementsEqual(right)
    }

    /// Hashes the UTF-8.
    public func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { utf8 in
            // SAFETY: the string lends its bytes until the closure returns.
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(utf8))
        }
        hasher.combine(0xFF as UInt8)
    }
}

extension String {
    /// Whether both are the same text in memory. The comparison counts no references. Equal texts may have different
    /// words.
    fileprivate func hasSameWords(as other: String) -> Bool {
        typealias Words = (UInt64, UInt64)
        guard MemoryLayout<String>.size == MemoryLayout<Words>.size else { return false }
        // SAFETY: a text is two words: short characters, or their number and where they are. They are only compared.
        return unsafe unsafeBitCast(self, to: Words.self) == unsafeBitCast(other, to: Words.self)
    }
}
