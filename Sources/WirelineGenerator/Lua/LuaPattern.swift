// SPDX-License-Identifier: Apache-2.0

/// Patterns of Lua for bytes.
enum LuaPattern {
    /// Returns a pattern for one of some bytes, or for another one; before Lua 5.2 a pattern has no byte 0.
    static func text(of bytes: [UInt8], excludes: Bool = false) -> String {
        let all = Set(bytes).sorted().map { byte -> String in
            if byte == 0 { return "%z" }
            let isPunctuation = byte < 128 && Unicode.Scalar(byte).properties.generalCategory.isSymbol
            return (isPunctuation ? "%" : "") + LuaText.literal([byte]).dropFirst().dropLast()
        }
        return "[\(excludes ? "^" : "")\(all.joined())]"
    }
}

extension Unicode.GeneralCategory {
    /// Whether it is one of punctuation and symbols.
    fileprivate var isSymbol: Bool {
        switch self {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
            true
        default: false
        }
    }
}
