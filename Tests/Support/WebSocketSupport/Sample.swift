// SPDX-License-Identifier: Apache-2.0

import TestingSupport

/// What messages are made of.
public enum Sample: CaseIterable, Sendable {
    /// One record after another, as programs send them.
    case records
    /// Brightness that changes little from place to place, and a little noise.
    case picture
    /// Sentences in several languages.
    case prose
    /// Bytes that nobody can compress.
    case noise
    /// Text with marks around it.
    case page

    public var isText: Bool { self != .picture && self != .noise }

    /// So many bytes of it; text is UTF-8.
    ///
    /// - Parameter index: Of which message; one has much in common with the next, and is not the same.
    public func bytes(_ byteCount: Int, of index: Int) -> [UInt8] {
        let source = Self.sources[self] ?? []
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        var start = index * 997 % source.count
        while bytes.count < byteCount {
            bytes += source[start...].prefix(byteCount - bytes.count)
            start = 0
        }
        guard isText else { return bytes }
        // Characters of several bytes that may be cut in two become points.
        let point = UInt8(ascii: ".")
        for place in bytes.indices.prefix(while: { bytes[$0] & 0xC0 == 0x80 }) { bytes[place] = point }
        if let last = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }), bytes[last] >= 0xC0 {
            for place in last..<bytes.count { bytes[place] = point }
        }
        return bytes
    }

    private static let sources = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.source()) })

    /// More than anybody looks back to.
    private func source() -> [UInt8] {
        var random = SeededGenerator(seed: 7_692)
        var bytes: [UInt8] = []
        while bytes.count < 70_000 { bytes += piece(bytes.count, using: &random) }
        return bytes
    }

    private static let words = """
        Habe nun ach Philosophie durchaus studiert mit heißem Bemühn the quick brown fox κόσμε λόγος в начале было слово \
        老王 世界 你好 emoji 🎉 naïve façade
        """.split(separator: " ")

    private func piece(_ offset: Int, using random: inout SeededGenerator) -> [UInt8] {
        func number(_ most: Int) -> Int { Int.random(in: 0...most, using: &random) }
        func words(_ count: Int) -> String {
            (0..<count).map { _ in Self.words[number(Self.words.count - 1)] }.joined(separator: " ")
        }
        return switch self {
        case .records: Array(#"{"id":\#(offset),"at":[\#(number(999)),\#(number(9))],"says":"\#(words(2))"},"#.utf8)
        case .picture: (0..<100).map { UInt8((offset / 256 + $0 / 4) % 250 + number(5)) }
        case .prose: Array((words(4 + number(9)) + ". ").utf8)
        case .noise: (0..<100).map { _ in UInt8(number(255)) }
        case .page: Array("<div class=\"c\(number(20))\"><p>\(words(6))</p></div>\n".utf8)
        }
    }
}
