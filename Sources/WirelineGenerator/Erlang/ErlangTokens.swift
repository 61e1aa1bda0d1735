// SPDX-License-Identifier: Apache-2.0

/// Finds names in Erlang source.
enum ErlangTokens {
    /// Returns the atoms and variables.
    static func words(of text: String) -> Set<String> { words(of: text, onlyCalls: false) }

    /// Returns the words before a parenthesis or an arity, which may be functions.
    static func calls(of text: String) -> Set<String> { words(of: text, onlyCalls: true) }

    private static func words(of text: String, onlyCalls: Bool) -> Set<String> {
        var words: Set<String> = []
        var word: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                word.append(byte)
            default:
                guard !word.isEmpty else { continue }
                let isCall = byte == UInt8(ascii: "(") || byte == UInt8(ascii: "/")
                if !onlyCalls || isCall { words.insert(String(decoding: word, as: UTF8.self)) }
                word.removeAll(keepingCapacity: true)
            }
        }
        return words
    }
}

extension String {
    /// Returns the text with the first occurrence of a part replaced.
    func replacingFirst(_ part: String, with other: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return self[..<range.lowerBound] + other + self[range.upperBound...]
    }
}
