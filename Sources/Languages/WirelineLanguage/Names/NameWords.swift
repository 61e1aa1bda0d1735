// SPDX-License-Identifier: Apache-2.0

/// The words in the names of a schema: `user_id`, `UserId` and `userID` all consist of `user` and `id`, whatever their
/// case.
package enum NameWords {
    /// Returns the words of a name; digits belong to the word before them.
    ///
    /// A word ends at any character other than a letter or digit, and before a capital that follows another character.
    /// In a series of capitals, the last one begins a word if a small letter follows it.
    package static func words(of name: String) -> [String] {
        let bytes = Array(name.utf8)
        var words: [String] = []
        var start = 0
        func end(at index: Int) {
            if start < index { words.append(String(decoding: bytes[start..<index], as: UTF8.self)) }
            start = index
        }
        for index in bytes.indices {
            guard isWordByte(bytes[index]) else {
                end(at: index)
                start = index + 1
                continue
            }
            guard index > start, isUpper(bytes[index]) else { continue }
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            if !isUpper(bytes[index - 1]) || isLower(next) && !isPlural(bytes, index + 1) { end(at: index) }
        }
        end(at: bytes.count)
        return words
    }

    /// Returns whether a small letter is the `s` of `IDs`: the last of its word.
    private static func isPlural(_ bytes: [UInt8], _ index: Int) -> Bool {
        bytes[index] == UInt8(ascii: "s") && !(index + 1 < bytes.count && isLower(bytes[index + 1]))
    }

    package static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    package static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isWordByte(_ byte: UInt8) -> Bool { isLower(byte) || isUpper(byte) || isDigit(byte) }
}
