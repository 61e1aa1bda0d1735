// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineGenerator
import WirelineSchema

struct LargeProtocolTests {
    /// What is done with a schema, one after the other.
    enum Step: CaseIterable {
        case check, generate, document

        /// How many messages are few: of documentation, which is more than code, not as many.
        var messageCount: Int { self == .document ? 60 : 200 }
    }

    /// No time is asserted, only how it grows. Neither steps nor allocations would do: a search through all that there is
    /// for each message allocates nothing, and cannot be counted from outside. The time is the processor's for this thread
    /// alone, so that a busy machine adds little to it, and the least of a few runs in turn, for what it adds is never
    /// negative. Sixteen times the messages take about 16 times as long, or 256 times where the time is quadratic.
    @Test(arguments: Step.allCases)
    func `sixteen times the messages do not take more than forty times the work`(step: Step) throws {
        let few = try LargeProtocol(messageCount: step.messageCount)
        let many = try LargeProtocol(messageCount: 16 * step.messageCount)
        var (forFew, forMany) = (Double.infinity, Double.infinity)
        for _ in 0..<3 {
            forFew = min(forFew, try few.processorTime(of: step))
            forMany = min(forMany, try many.processorTime(of: step))
        }
        #expect(forMany / forFew < 40)
    }

    @Test func `the documentation of a message takes less than three kilobytes`() throws {
        let large = try LargeProtocol(messageCount: 500)
        let (html, markdown) = large.document()
        #expect(html[0].text.components(separatedBy: "<article ").count == 1 + 1 + 1_500)
        #expect(html[0].text.utf8.count < 1_000 * 3_000)
        #expect(markdown[0].text.utf8.count < 1_000 * 2_000)
    }

    @Test func `each of many messages is generated`() throws {
        let files = try LargeProtocol(messageCount: 3_200).generate()
        #expect(files.map(\.path) == ["Large.wire.swift", "LargeProtocol.swift"])
        let replies = files[0].text.split(separator: "\n").filter { $0.contains("typealias Reply = Sc_") }
        #expect(replies.count == 3_200)
        #expect(replies.last == "    public typealias Reply = Sc_3199")
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

    private static func check(_ file: SourceFile) throws -> ProtocolDescription {
        try #require(ProtocolDescription.check(name: "Large", files: [file]).description)
    }

    func generate() -> [GeneratedFile] { SwiftGenerator(description).files() }

    func document() -> (html: [GeneratedFile], markdown: [GeneratedFile]) {
        (HTMLGenerator(description).files(), MarkdownGenerator(description).files())
    }

    /// What a step takes of the processor, in nanoseconds.
    func processorTime(of step: LargeProtocolTests.Step) throws -> Double {
        let start = Self.processorTime()
        switch step {
        case .check: _ = try Self.check(file)
        case .generate: _ = generate()
        case .document: _ = document()
        }
        return Self.processorTime() - start
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
