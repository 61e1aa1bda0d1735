// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineSchema

/// A text that an editor changes keeps its lines.
struct SourceTextTests {
    private static func text(_ bytes: [UInt8]) -> SourceText { SourceText(SourceFile(path: "a.wire", bytes: bytes)) }

    @Test func `a changed text has the lines of a new one`() {
        var random = SeededGenerator.forThisRun()
        let characters = Array("a\r\n".utf8)
        func piece(upTo count: Int) -> [UInt8] {
            (0..<Int.random(in: 0...count, using: &random)).map { _ in characters.randomElement(using: &random) ?? 0 }
        }
        for _ in 0..<2_000 {
            var edited = Self.text(piece(upTo: 12))
            for _ in 0..<8 {
                let before = edited.bytes
                let start = Int.random(in: 0...before.count, using: &random)
                let end = Int.random(in: start...before.count, using: &random)
                let replacement = piece(upTo: 4)
                edited.replace(start..<end, with: replacement)
                let whole = Self.text(before[..<start] + replacement + before[end...])
                guard edited.bytes == whole.bytes, edited.lineStarts == whole.lineStarts else {
                    Issue.record("\(before) with \(replacement) in \(start)..<\(end): \(edited.lineStarts)")
                    return
                }
            }
        }
    }
}
