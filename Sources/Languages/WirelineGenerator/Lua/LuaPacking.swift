// SPDX-License-Identifier: Apache-2.0

/// Makes replacements of `string.unpack` and `string.pack` for Lua before 5.3: one arithmetic function for each format
/// that code uses.
enum LuaPacking {
    private struct Item {
        let letter: Character
        let byteCount: Int
        let isLittle: Bool
    }

    static func functions(unpacking: Set<String>, packing: Set<String>) -> String {
        guard !packing.isEmpty || !unpacking.isEmpty else { return "" }
        let unpackers = unpacking.sorted().map { "  unpackers[\"\($0)\"] = \(unpacker(items(of: $0)))" }
        let packers = packing.sorted().map { "  packers[\"\($0)\"] = \(packer(items(of: $0)))" }
        return (["if not native then"] + unpackers + packers + ["end", ""]).joined(separator: "\n")
    }

    private static func items(of format: String) -> [Item] {
        var items: [Item] = []
        var isLittle = false
        for character in format {
            switch character {
            case "<", ">": isLittle = character == "<"
            case "B", "b": items.append(Item(letter: character, byteCount: 1, isLittle: isLittle))
            case "f": items.append(Item(letter: character, byteCount: 4, isLittle: isLittle))
            case "d": items.append(Item(letter: character, byteCount: 8, isLittle: isLittle))
            case "I", "i", "s": items.append(Item(letter: character, byteCount: 0, isLittle: isLittle))
            default:
                guard let last = items.popLast(), let byteCount = character.wholeNumberValue else { continue }
                items.append(Item(letter: last.letter, byteCount: byteCount, isLittle: last.isLittle))
            }
        }
        return items
    }

    // MARK: Reading

    private static func unpacker(_ items: [Item]) -> String {
        let byteCount = items.reduce(0) { $0 + $1.byteCount }
        var position = 0
        let values = items.map { item in
            let bytes = (position..<position + item.byteCount).map { "b\($0)" }
            position += item.byteCount
            return value(item, item.isLittle ? bytes.reversed() : bytes)
        }
        let names = (0..<byteCount).map { "b\($0)" }.joined(separator: ", ")
        let read = byteCount == 1 ? "byte(s, p)" : "byte(s, p, p + \(byteCount - 1))"
        return "function(s, p) local \(names) = \(read) return \(values.joined(separator: ", ")), p + \(byteCount) end"
    }

    /// Returns the value of some bytes, the most significant one first.
    private static func value(_ item: Item, _ bytes: [String]) -> String {
        switch item.letter {
        case "f": return "f32(\(bytes.joined(separator: ", ")))"
        case "d": return "f64(\(bytes.joined(separator: ", ")))"
        default: break
        }
        let sum = bytes.dropFirst().reduce(bytes[0]) { sum, byte in
            "\(sum.contains(" ") ? "(\(sum))" : sum) * 256 + \(byte)"
        }
        guard item.letter == "i" || item.letter == "b" else { return sum }
        return "sign(\(sum), \(Int128(1) << Int128(8 * item.byteCount)))"
    }

    // MARK: Writing

    private static func packer(_ items: [Item]) -> String {
        let names = items.indices.map { "v\($0)" }
        var parts: [String] = []
        var bytes: [String] = []
        func close() {
            if !bytes.isEmpty { parts.append("char(\(bytes.joined(separator: ", ")))") }
            bytes = []
        }
        for (name, item) in zip(names, items) {
            switch item.letter {
            case "f", "d":
                close()
                let text = "\(item.letter == "f" ? "f32" : "f64")_bytes(\(name))"
                parts.append(item.isLittle ? "string.reverse(\(text))" : text)
            case "s":
                bytes += self.bytes("#\(name)", item)
                close()
                parts.append(name)
            default: bytes += self.bytes(name, item)
            }
        }
        close()
        return "function(\(names.joined(separator: ", "))) return \(parts.joined(separator: " .. ")) end"
    }

    private static func bytes(_ name: String, _ item: Item) -> [String] {
        let bytes = (0..<item.byteCount).map { place -> String in
            let shift = 8 * (item.byteCount - 1 - place)
            return shift == 0 ? "\(name) % 256" : "floor(\(name) / \(Int128(1) << Int128(shift))) % 256"
        }
        return item.isLittle ? bytes.reversed() : bytes
    }
}
