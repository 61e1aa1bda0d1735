// SPDX-License-Identifier: Apache-2.0

/// 16 KiB of text, which are to be found UTF-8.
final class Text {
    let caseName: String
    /// Never freed.
    let bytes: UnsafeBufferPointer<CChar>

    static let byteCount = 16 << 10

    /// One that is ASCII alone, and one that is mixed.
    static func all() -> [Text] {
        [
            // All that can be printed, one after another.
            Text(caseName: "utf8_ascii_16k", unit: String(decoding: [UInt8](0x20..<0x7F), as: UTF8.self)),
            Text(caseName: "utf8_mixed_16k", unit: "frame 20001 → 场景 7: 战斗开始! 🎮 café, naïve № 64 ok — "),
        ]
    }

    private init(caseName: String, unit: String) {
        self.caseName = caseName
        var text = String(repeating: unit, count: Self.byteCount / unit.utf8.count)
        text += String(repeating: " ", count: Self.byteCount - text.utf8.count)
        bytes = Self.keep(Array(text.utf8))
    }

    private static func keep(_ bytes: [UInt8]) -> UnsafeBufferPointer<CChar> {
        let kept = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
        _ = kept.initialize(from: bytes.map(CChar.init(bitPattern:)))
        return UnsafeBufferPointer(kept)
    }

    /// The text with something in its middle that is no UTF-8: a byte that never is, a form that is too long, a surrogate,
    /// a number above U+10FFFF, a character without its end.
    private lazy var spoiled = [
        [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE4, 0xBD, 0x41],
    ]
    .map { (flaw: [UInt8]) in
        var bytes = self.bytes.map(UInt8.init(bitPattern:))
        bytes.replaceSubrange(bytes.count / 2..<bytes.count / 2 + flaw.count, with: flaw)
        return Self.keep(bytes)
    }

    /// A benchmark that checks the text.
    ///
    /// - Parameter makeCheck: Makes what says whether bytes are UTF-8; a text that is none spoils it.
    func benchmark(
        _ implementation: String, makeCheck: @escaping () -> (UnsafeBufferPointer<CChar>) throws -> Bool
    ) -> Benchmark {
        let isText = makeCheck()
        return Benchmark(
            caseName: caseName, implementation: implementation, byteCount: Self.byteCount, packetCount: 0,
            check: { [self] in
                try WrongResult.unlessEqual(makeCheck()(bytes), true)
                for bytes in spoiled { try WrongResult.unlessEqual(makeCheck()(bytes), false) }
            },
            repeats: { [self] count in
                for _ in 0..<count {
                    guard try isText(bytes) else { throw WrongResult(description: "refused a text") }
                }
            })
    }
}
