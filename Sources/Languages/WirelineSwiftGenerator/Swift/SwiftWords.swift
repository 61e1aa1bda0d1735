// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

/// Makes Swift names from the words in other names: `user_id`, `UserId` and `userID` all become `userID`.
package enum SwiftWords {
    /// Words that Swift writes in capitals.
    private static let acronyms: Set<String> = [
        "API", "CRC", "DNS", "GUID", "HTML", "HTTP", "HTTPS", "ID", "IP", "JSON", "MD5", "QSIOP", "RPC", "RTMP", "SHA",
        "SSL", "TCP", "TLS", "TTL", "UDP", "URI", "URL", "UTC", "UTF", "UUID", "VIP", "XML",
    ]

    /// Returns the name of a property or a case: `SceneId` is `sceneID`, `HTTPCode` is `httpCode`.
    ///
    /// - Parameter fallback: The name to use if no word can begin a name.
    static func lowerCamel(_ name: String, fallback: String) -> String {
        let words = NameWords.words(of: name)
        guard let first = words.first else { return fallback }
        let isShouted = !name.utf8.contains { NameWords.isLower($0) }
        let joined = first.lowercased() + words.dropFirst().map { capitalized($0, isShouted: isShouted) }.joined()
        return joined.utf8.first.map(NameWords.isDigit) == true ? fallback + joined : joined
    }

    /// Returns the name of a property with a capital: `SceneId` is `SceneID`, `MAX_HP` is `MaxHp`.
    package static func capitalizedCamel(_ name: String) -> String {
        let isShouted = !name.utf8.contains { NameWords.isLower($0) }
        return NameWords.words(of: name).map { capitalized($0, isShouted: isShouted) }.joined()
    }

    /// Returns a type name from any text: `id-first` is `IDFirst`.
    static func upperCamel(_ name: String) -> String {
        NameWords.words(of: name).map { capitalized($0, isShouted: false) }.joined()
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
}
