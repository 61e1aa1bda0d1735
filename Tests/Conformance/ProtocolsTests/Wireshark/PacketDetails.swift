// SPDX-License-Identifier: Apache-2.0

import Testing

/// The output of tshark with `-T pdml`: items inside items, each on its own line.
final class PacketDetails {
    /// The filter name.
    let name: String
    private let attributes: [String: String]
    private(set) var children: [PacketDetails] = []

    private init(_ name: String, _ attributes: [String: String]) {
        self.name = name
        self.attributes = attributes
    }

    /// The text in the tree: `Line: 2`, without the bits that `..10 .... = Line: 2` begins with.
    var title: String {
        let text = attributes["showname"] ?? ""
        guard attributes["unmaskedvalue"] != nil, let end = text.firstRange(of: " = ") else { return text }
        return String(text[end.upperBound...])
    }
    /// The value alone.
    var text: String { attributes["show"] ?? "" }
    /// The bytes of the value, in hexadecimal; of a value that shares bytes, all of them.
    var hex: String { attributes["unmaskedvalue"] ?? attributes["value"] ?? "" }
    /// The range of its bytes, inside the data in which the packet was found.
    var range: Range<Int> {
        let start = Int(attributes["pos"] ?? "") ?? 0
        return start..<start + (Int(attributes["size"] ?? "") ?? 0)
    }

    /// The first item of this name, at any depth.
    func first(_ name: String) -> PacketDetails? {
        for child in children {
            if child.name == name { return child }
            if let found = child.first(name) { return found }
        }
        return nil
    }

    /// All items whose names fulfil a condition, at any depth.
    func all(where isWanted: (String) -> Bool) -> [PacketDetails] {
        children.flatMap { (isWanted($0.name) ? [$0] : []) + $0.all(where: isWanted) }
    }

    /// The frames of a file.
    static func frames(in text: String) throws -> [PacketDetails] {
        // Splits at bytes and tags: values may contain line breaks, but no angle brackets.
        let bytes = Array(text.utf8)
        var stack = [PacketDetails("", [:])]
        var position = 0
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")),
            let end = bytes[start...].firstIndex(of: UInt8(ascii: ">"))
        {
            position = end + 1
            let tag = bytes[start + 1..<end]
            if tag.elementsEqual("packet".utf8) {
                stack.append(PacketDetails("packet", [:]))
            } else if tag.starts(with: "proto ".utf8) || tag.starts(with: "field ".utf8) {
                let attributes = attributes(of: tag)
                let item = PacketDetails(attributes["name"] ?? "", attributes)
                if tag.last == UInt8(ascii: "/") { stack.last?.children.append(item) } else { stack.append(item) }
            } else if ["/packet", "/proto", "/field"].contains(where: { tag.elementsEqual($0.utf8) }) {
                let item = stack.removeLast()
                try #require(stack.last).children.append(item)
            }
        }
        try #require(stack.count == 1)
        return stack[0].children
    }

    private static func attributes(of tag: ArraySlice<UInt8>) -> [String: String] {
        let quote = UInt8(ascii: "\"")
        var result: [String: String] = [:]
        var rest = tag
        while let space = rest.firstIndex(of: UInt8(ascii: " ")), let start = rest[space...].firstIndex(of: quote),
            let end = rest[(start + 1)...].firstIndex(of: quote)
        {
            let key = String(decoding: rest[space + 1..<start - 1], as: UTF8.self)
            result[key] = unescaped(String(decoding: rest[start + 1..<end], as: UTF8.self))
            rest = rest[(end + 1)...]
        }
        return result
    }

    private static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        return text.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&apos;", with: "'").replacing("&#x27;", with: "'").replacing("&amp;", with: "&")
    }
}
