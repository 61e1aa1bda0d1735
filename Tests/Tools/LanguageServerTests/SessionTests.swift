// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineSchema
import wire

/// Replays the recorded conversations in `Sessions`.
///
/// A line that begins with `>` is a message of the client, one with `<` the server's next message, one with `#` a
/// comment. Before them, `file NAME` and indented lines are a file on disk, in the folder `/P`.
/// `RECORD_SESSIONS=1` writes the server's lines anew, and fails the run.
struct SessionTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Sessions")
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()

    /// A conversation, read from its file.
    struct Session {
        let file: URL
        var files: [SourceFile] = []
        /// The lines of the conversation, with their marks and without comments.
        var lines: [String] = []

        init(_ name: String) throws {
            file = SessionTests.folder.appending(path: name)
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if line.hasPrefix("file ") {
                    files.append(SourceFile(path: String(line.dropFirst(5)), bytes: []))
                } else if line.hasPrefix("    "), !files.isEmpty {
                    files[files.count - 1].bytes += Array((line.dropFirst(4) + "\n").utf8)
                } else if !line.hasPrefix("#") {
                    lines.append(String(line))
                }
            }
        }

        var requests: [String] { lines.filter { $0.hasPrefix("> ") }.map { String($0.dropFirst(2)) } }

        /// All bytes of the client.
        var bytes: [UInt8] { requests.flatMap(Editor.framed) }

        func server() -> LanguageServer {
            let contents = FolderContents(files: files)
            return LanguageServer(version: "1") { $0 == "/P" ? contents : FolderContents() }
        }

        /// Returns the server's output for these pieces of input, and then the end of the input.
        func output(for pieces: [ArraySlice<UInt8>]) -> [UInt8] {
            var server = server()
            for piece in pieces { server.receive(Array(piece)) }
            server.publishProblems()
            server.receiveEnd()
            return server.takeOutput()
        }
    }

    @Test(arguments: names)
    func `the server answers as recorded`(name: String) throws {
        let session = try Session(name)
        var server = session.server()
        var lines: [String] = []
        for request in session.requests {
            lines.append("> " + request)
            server.receive(Editor.framed(request))
            server.publishProblems()
            lines += try Editor.messages(in: server.takeOutput()).map { "< " + $0.description }
        }
        if ProcessInfo.processInfo.environment["RECORD_SESSIONS"] == "1" { try record(lines, in: session) }
        #expect(lines == session.lines)
        #expect(server.end == .orderly)
    }

    /// Replaces the server's lines in a file.
    private func record(_ lines: [String], in session: Session) throws {
        var answers = lines.split(omittingEmptySubsequences: false) { $0.hasPrefix("> ") }.dropFirst().makeIterator()
        let old = try String(contentsOf: session.file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let new = old.filter { !$0.hasPrefix("< ") }.flatMap { line -> [String] in
            [String(line)] + (line.hasPrefix("> ") ? Array(answers.next() ?? []) : [])
        }
        try new.joined(separator: "\n").write(to: session.file, atomically: true, encoding: .utf8)
        Issue.record("recorded \(session.file.lastPathComponent)")
    }

    @Test(arguments: names)
    func `bytes one by one, and in random pieces, give the same answers`(name: String) throws {
        let session = try Session(name)
        let bytes = session.bytes
        let whole = session.output(for: [bytes[...]])
        #expect(session.output(for: bytes.indices.map { bytes[$0...$0] }) == whole)
        var random = SeededGenerator.forThisRun()
        for _ in 0..<20 {
            var pieces: [ArraySlice<UInt8>] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = min(rest.count, Int.random(in: 1...300, using: &random))
                pieces.append(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            #expect(session.output(for: pieces) == whole, random.seedComment)
        }
    }

    @Test func `every cut into two pieces gives the same answers`() throws {
        let session = try Session("short.session")
        let bytes = session.bytes
        let whole = session.output(for: [bytes[...]])
        let different = bytes.indices.filter { session.output(for: [bytes[..<$0], bytes[$0...]]) != whole }
        #expect(different == [])
    }

    /// Any input is answered or refused; each answer is a message.
    @Test(arguments: names)
    func `damaged conversations never stop the program`(name: String) throws {
        let session = try Session(name)
        var random = SeededGenerator.forThisRun()
        for _ in 0..<60 {
            var bytes = session.bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(UInt8.random(in: 32...126, using: &random), at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 40))
                }
            }
            let output = session.output(for: [bytes[...]])
            let messages = try Editor.messages(in: output)
            #expect(messages.allSatisfy { $0["jsonrpc"] == "2.0" }, random.seedComment)
        }
    }

    /// Damage inside the messages, whose frames stay whole: parameters of other types, missing members, other places.
    @Test(arguments: names)
    func `messages with other parameters never stop the program`(name: String) throws {
        let session = try Session(name)
        var random = SeededGenerator.forThisRun()
        for _ in 0..<60 {
            let bytes = session.requests.flatMap { request -> [UInt8] in
                guard var value = try? JSONValue(parsing: request) else { return Editor.framed(request) }
                if Int.random(in: 0..<3, using: &random) == 0 { value.damage(using: &random) }
                return Editor.framed(value.description)
            }
            let messages = try Editor.messages(in: session.output(for: [bytes[...]]))
            #expect(messages.allSatisfy { $0["jsonrpc"] == "2.0" }, random.seedComment)
        }
    }
}

extension JSONValue {
    /// Replaces or removes a value somewhere inside.
    fileprivate mutating func damage(using random: inout SeededGenerator) {
        switch self {
        case .object(var members) where !members.isEmpty && Bool.random(using: &random):
            let index = Int.random(in: members.indices, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                members.remove(at: index)
            } else {
                members[index].value.damage(using: &random)
            }
            self = .object(members)
        case .array(var items) where !items.isEmpty && Bool.random(using: &random):
            items[Int.random(in: items.indices, using: &random)].damage(using: &random)
            self = .array(items)
        default:
            let others: [JSONValue] = [.null, -1, 3, 99_999_999_999_999, "", "x", [], [:], true]
            self = others[Int.random(in: others.indices, using: &random)]
        }
    }
}
