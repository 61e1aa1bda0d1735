// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineCodec

/// Runs `Erlang/peer.escript`: the same protocols, written by hand in Erlang's bit syntax.
struct ErlangPeer {
    /// Runs the peer on one file, and returns the frames of another.
    ///
    /// - Parameter input: The frames of the file that it reads; nil if it reads none.
    static func run(_ arguments: [String], input: [[UInt8]]? = nil) throws -> [[UInt8]] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (inFile, outFile) = (folder.appending(path: "in"), folder.appending(path: "out"))
        if let input { try Data(Frames.join(input)).write(to: inFile) }

        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Erlang/peer.escript")
        let files = (input == nil ? [] : [inFile.path]) + [outFile.path]
        let process = try ErlangInterpreter.process(script: script, arguments: arguments + files)
        let problems = Pipe()
        process.standardError = problems
        process.standardOutput = problems
        // Reads to the end of the file, which is the end of the process: a full pipe would block it.
        let data = try process.runToEnd { try problems.fileHandleForReading.readToEnd() ?? Data() }
        let text = String(decoding: data, as: UTF8.self)
        try #require(process.terminationStatus == 0, "\(text)")
        return try Frames.split(Array(Data(contentsOf: outFile)))
    }
}

/// The files that both sides exchange: a 32-bit big-endian count and as many bytes, repeated.
private enum Frames {
    static func join(_ frames: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in frames {
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: frame.count >> shift)) }
            bytes += frame
        }
        return bytes
    }

    static func split(_ bytes: [UInt8]) throws -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var offset = 0
        while offset < bytes.count {
            let start = offset + 4
            try #require(start <= bytes.count)
            let count = bytes[offset..<start].reduce(0) { $0 << 8 | Int($1) }
            try #require(count <= bytes.count - start)
            frames.append(Array(bytes[start..<start + count]))
            offset = start + count
        }
        return frames
    }
}
