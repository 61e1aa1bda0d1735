// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// A language of `wire generate`: all that its tests need to know about it.
struct Language: Sendable, CustomTestStringConvertible {
    let name: String
    /// The folder of its peers, which are programs in the language beside these tests.
    let directory: String
    /// Why its tests are skipped; nil if its tools are installed or required.
    let absence: String?
    /// Whether protocols without layers are tested here.
    var hasPlainSamples = true
    /// Whether protocols with layers are tested here.
    var hasLayeredSamples = true
    /// The files of peers that are compiled with the generated ones.
    var sources: [String] = []
    /// Whether each protocol has a folder of its own.
    var hasFolders = false
    /// Whether its adapters say that they do not have brotli.
    var lacksBrotli = true

    /// Returns the generated files, the module first.
    let files: @Sendable (ProtocolDescription) throws -> [GeneratedFile]
    /// Returns the adapter, which belongs beside the module.
    let adapter: @Sendable (ProtocolDescription) throws -> GeneratedFile
    /// The name in `wire generate`, if a schema's names may be words that harm.
    var backEnd: String?

    /// Compiles all code at once, because a compiler takes seconds to begin; returns what it says.
    var compile: @Sendable (LanguageCode) throws -> String = { _ in "" }
    /// The programs that it has.
    var programs: Set<LanguageSample.Program> = [.adapter, .streams, .conversations]
    /// Returns how to start a program with a sample.
    let job: @Sendable (LanguageSample.Program, LanguageCode.Sample) throws -> ProgramJob
    /// Returns how to start a peer with samples.
    let peer: @Sendable (_ name: String, [LanguageCode.Sample]) throws -> ProgramJob
    var checks: [LanguageCheck] = []
    var page: LanguagePage?
    /// Returns what a module must not have, such as code that is made at run time.
    var objections: @Sendable (LanguageCode.Sample) throws -> [String] = { _ in [] }

    private let generated = MadeOnce<[LanguageCode.Generated]>()
    private let made = MadeOnce<LanguageCode>()

    var testDescription: String { name }

    /// The generated files of all samples.
    func generatedCode() throws -> [LanguageCode.Generated] {
        try generated.get { try LanguageCode.generate(self) }
    }

    /// The generated code of all samples, compiled.
    func code() throws -> LanguageCode { try made.get { try LanguageCode(self) } }

    /// Returns the path of a file beside these tests.
    func peerFile(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(path: directory)
            .appending(path: "Peers").appending(path: name)
    }

    static let all = [java, cSharp, cpp, go, rust, typeScript, javaScript, python, lua, erlang]
    static let wanted = all.filter { $0.absence == nil }
}

/// A peer that checks what only the language knows, with the modules of some protocols.
struct LanguageCheck: Sendable {
    /// What the peer shows.
    let promise: String
    let peer: String
    /// The names of the protocols; empty for all.
    let samples: [String]
    /// What it prints.
    let output: String

    init(_ promise: String, _ peer: String, _ samples: [String], _ output: String = "as expected\n") {
        self.promise = promise
        self.peer = peer
        self.samples = samples
        self.output = output
    }

    var hasLayers: Bool { LayeredProtocol.all.contains { samples.contains($0.name) } }
}

/// The examples of a page of documentation, which are one program.
struct LanguagePage: Sendable {
    /// The name of the page.
    let name: String
    /// The name of the language before a block of code.
    let fence: String
    /// What begins a comment that says what the program prints.
    var comment = "// "
    let commentCount: Int
    /// Returns the program's file.
    let file: @Sendable (_ lines: [String]) -> GeneratedFile
    /// Returns how to start the program.
    let job: @Sendable (LanguageCode) -> ProgramJob

    /// Returns the lines of all examples.
    func lines() throws -> [String] {
        let page = Checkout.url("Sources/Languages/WirelineGenerator/WirelineGenerator.docc")
            .appending(path: name)
        let blocks = try String(contentsOf: page, encoding: .utf8).split(separator: "```\(fence)\n").dropFirst()
            .map { $0.prefix(upTo: $0.firstRange(of: "\n```")?.lowerBound ?? $0.endIndex) }
        return blocks.joined(separator: "\n\n").split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
    }

    /// What the comments say that the program prints.
    func expectedLines() throws -> [String] {
        try lines().map { $0.drop { $0 == "\t" || $0 == " " } }.filter { $0.hasPrefix(comment) }.map {
            String($0.dropFirst(comment.count))
        }
    }
}
