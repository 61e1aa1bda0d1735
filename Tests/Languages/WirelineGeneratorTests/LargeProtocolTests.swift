// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

struct LargeProtocolTests {
    /// What is done with a schema: it is checked, and goes through each generator. Only the deep run takes all of these.
    enum Step: CaseIterable, CustomTestStringConvertible {
        case check
        case generate(BackEnd)

        static var allCases: [Step] {
            let some = BackEnd.all.filter { Depth.isDeep || ["swift", "html", "markdown", "python"].contains($0.name) }
            return [.check] + some.map(Step.generate)
        }

        /// The smaller number of messages. It is lower for documentation, which is longer than code.
        var messageCount: Int {
            (["html", "markdown"].contains(testDescription) ? 30 : 100) * (Depth.isDeep ? 2 : 1)
        }

        var testDescription: String { if case .generate(let backEnd) = self { backEnd.name } else { "check" } }
    }

    /// Asserts no absolute time, only how the time grows. Steps or allocations would not be enough: a search through
    /// everything for each message allocates nothing, and cannot be counted from outside. The time is processor time of
    /// this thread alone, so that a busy machine adds little to it. It is the minimum of up to three runs in turn,
    /// because other load only adds time. Sixteen times the messages take about 16 times as long, or 256 times if the
    /// time is quadratic.
    @Test(arguments: Step.allCases)
    func `sixteen times the messages take at most forty times the work`(step: Step) throws {
        let few = try LargeProtocol(messageCount: step.messageCount)
        let many = try LargeProtocol(messageCount: 16 * step.messageCount)
        var (forFew, forMany) = (Double.infinity, Double.infinity)
        for _ in 0..<3 where forMany / forFew >= 40 || forMany == .infinity {
            forFew = min(forFew, try few.processorTime(of: step))
            forMany = min(forMany, try many.processorTime(of: step))
        }
        #expect(forMany / forFew < 40)
    }

    @Test func `the documentation of a message takes at most 3,200 bytes`() throws {
        let large = try LargeProtocol(messageCount: 100)
        let (html, markdown) = large.document()
        // What every page has does not count.
        let one = try LargeProtocol(messageCount: 1).document().html[0].text.utf8.count
        #expect(html[0].text.components(separatedBy: "<article ").count == 1 + 1 + 300)
        #expect(html[0].text.utf8.count - one <= 198 * 3_200)
        #expect(markdown[0].text.utf8.count < 200 * 2_000)
    }

    /// If time grew with the square of the number of fields, this would take minutes.
    @Test(.amongAll) func `a message of twenty thousand fields is generated`() throws {
        let fields = (0..<20_000).map { "uint8 field\($0);\n" }.joined()
        let files = try swift("message Cs_1 {\(fields)}")
        let line = "            self.field19999 = run0.integer(at: 19999, as: Swift::UInt8.self, .bigEndian)"
        #expect(files[0].text.contains(line))
    }

    @Test func `fields whose names are similar in Swift get different names`() throws {
        // Names of `_`, `f` and `_`, of at most 128 bytes.
        let names = (0..<60).flatMap { left in
            (0..<60).map { String(repeating: "_", count: left) + "f" + String(repeating: "_", count: $0) }
        }
        let files = try swift("message Cs_1 {" + names.map { "uint8 \($0);\n" }.joined() + "}")
        #expect(["f", "f_", "f_2", "f_3", "f_3599"].allSatisfy { files[0].text.contains("public var \($0): ") })
        #expect(!files[0].text.contains("public var f_3600: "))
    }

    private func swift(_ text: String) throws -> [GeneratedFile] {
        let file = SourceFile(path: "A.wire", bytes: Array(text.utf8))
        return SwiftGenerator(try LargeProtocol.check(file)).files()
    }

    @Test func `all of many messages are generated`() throws {
        let files = try LargeProtocol(messageCount: 200).generate()
        #expect(files.map(\.path) == ["Large.wire.swift", "LargeProtocol.swift"])
        let replies = files[0].text.split(separator: "\n").filter { $0.contains("typealias Reply = Sc_") }
        #expect(replies.count == 200)
        #expect(replies.last == "    public typealias Reply = Sc_199")
    }
}

/// A protocol of many requests, each with a reply and a structure of its own.
private struct LargeProtocol {
    private let file: SourceFile
    private let description: ProtocolDescription

    init(messageCount: Int) throws {
        let text = (0..<messageCount).map { number in
            """
            message Cs_\(number) { uint32 a; String b; S\(number)[] c; }
            message Sc_\(number) { bool isGood; }
            struct S\(number) { uint8 a; }

            """
        }.joined()
        file = SourceFile(path: "Large.wire", bytes: Array(text.utf8))
        description = try Self.check(file)
    }

    static func check(_ file: SourceFile) throws -> ProtocolDescription {
        try #require(ProtocolDescription.check(name: "Large", files: [file]).description)
    }

    func generate() -> [GeneratedFile] { SwiftGenerator(description).files() }

    func document() -> (html: [GeneratedFile], markdown: [GeneratedFile]) {
        (HTMLGenerator(description).files(), MarkdownGenerator(description).files())
    }

    /// The processor time of a step, in nanoseconds.
    func processorTime(of step: LargeProtocolTests.Step) throws -> Double {
        let start = Self.processorTime()
        switch step {
        case .check: _ = try Self.check(file)
        case .generate(let backEnd): _ = try backEnd.files(description, fileNames: [file.path])
        }
        return Self.processorTime() - start
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
