// SPDX-License-Identifier: Apache-2.0

/// Makes Swift names of the words in other names: `user_id`, `UserId` and `userID` are all `userID`.
enum SwiftWords {
    /// Words that Swift writes in capitals.
    private static let acronyms: Set<String> = [
        "API", "CRC", "DNS", "GUID", "HTML", "HTTP", "HTTPS", "ID", "IP", "JSON", "MD5", "QSIOP", "RPC", "RTMP", "SHA",
        "SSL", "TCP", "TLS", "TTL", "UDP", "URI", "URL", "UTC", "UTF", "UUID", "VIP", "XML",
    ]

    /// The name of a property or a case: `SceneId` is `sceneID`, `HTTPCode` is `httpCode`.
    ///
    /// - Parameter fallback: The name where there is no word that a name can begin with.
    static func lowerCamel(_ name: String, fallback: String) -> String {
        let words = words(of: name)
        guard let first = words.first else { return fallback }
        let isShouted = !name.utf8.contains { isLower($0) }
        let joined = first.lowercased() + words.dropFirst().map { capitalized($0, isShouted: isShouted) }.joined()
        return joined.utf8.first.map(isDigit) == true ? fallback + joined : joined
    }

    /// The name of a type, from a name that is none: `id-first` is `IDFirst`.
    static func upperCamel(_ name: String) -> String {
        words(of: name).map { capitalized($0, isShouted: false) }.joined()
    }

    private static func capitalized(_ word: String, isShouted: Bool) -> String {
        let upper = word.uppercased()
        if acronyms.contains(upper) { return upper }
        if upper.last == "S", acronyms.contains(String(upper.dropLast())) { return upper.dropLast() + "s" }
        let stem = String(upper.reversed().drop { $0.isNumber }.reversed())
        if acronyms.contains(stem) { return upper }
        let rest = word.dropFirst()
        return upper.prefix(1) + (isShouted ? rest.lowercased() : String(rest))
    }

    /// The words: between anything that is no letter or digit, before a capital behind something else, and before the
    /// last capital of several when a small letter follows it. Digits belong to the word before them.
    static func words(of name: String) -> [String] {
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

    /// Whether a small letter is the `s` of `IDs`: the last of its word.
    private static func isPlural(_ bytes: [UInt8], _ index: Int) -> Bool {
        bytes[index] == UInt8(ascii: "s") && !(index + 1 < bytes.count && isLower(bytes[index + 1]))
    }

    private static func isLower(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    private static func isWordByte(_ byte: UInt8) -> Bool { isLower(byte) || isUpper(byte) || isDigit(byte) }
}
