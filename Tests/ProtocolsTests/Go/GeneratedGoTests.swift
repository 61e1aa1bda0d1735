// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// Compares the generated Go of each protocol with Swift's codec: equal bytes, equal values, equal errors.
@Suite(.enabled(if: GoTool.isWanted, "\(GoTool.absence)"), .aside)
struct GeneratedGoTests {
    @Test func `Go 1.18 builds all packages, and go vet finds nothing`() throws {
        #expect(try GoLanguage.shared.get().findings == "", AdapterSamples.random.seedComment)
    }

    @Test(arguments: AdapterSamples.names)
    func `Go writes and reads the same as Swift`(name: String) throws {
        let sample = try GoLanguage.sample(name)
        let disagreements = try Self.disagreements(sample, AdapterCases(sample).values())
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    @Test(arguments: AdapterSamples.names)
    func `Go gives Swift's verdict on truncated, changed and invalid packets`(name: String) throws {
        let sample = try GoLanguage.sample(name)
        let disagreements = try Self.disagreements(sample, AdapterCases(sample).variants())
        #expect(disagreements == [], AdapterSamples.random.seedComment)
    }

    private static func disagreements(_ sample: AdapterSample, _ cases: [AdapterCase]) throws -> [String] {
        let judge = AdapterJudge(sample, cases)
        return try judge.disagreements(in: ProgramRun.output(of: sample.goProgram.path, [], input: judge.input))
    }

    @Test(arguments: AdapterSamples.names)
    func `the code is formatted as gofmt formats it`(name: String) throws {
        let sample = try GoLanguage.sample(name)
        for file in [sample.module, sample.adapter] {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(try Self.code(GoTool.formatted(file)) == Self.code(text), AdapterSamples.random.seedComment)
        }
    }

    /// Returns the lines without comments, which `gofmt` formats as documentation.
    private static func code(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false).filter {
            !$0.drop { $0 == "\t" }.hasPrefix("//")
        }
    }

    @Test(arguments: AdapterSamples.names)
    func `a package imports the standard library only, and neither reflection nor anything unsafe`(name: String) throws
    {
        let text = try String(contentsOf: GoLanguage.sample(name).module, encoding: .utf8)
        let imports = text.split(separator: "\n").filter { $0.hasPrefix("\t\"") }
        let known: Set<Substring> = [
            "bytes", "encoding/binary", "hash/adler32", "hash/crc32", "math", "strconv", "strings", "unicode/utf16",
            "unicode/utf8",
        ]
        #expect(imports.allSatisfy { known.contains($0.dropFirst(2).dropLast()) })
        #expect(!text.contains("panic("))
    }
}
