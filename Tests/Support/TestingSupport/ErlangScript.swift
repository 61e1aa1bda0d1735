// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Testing

/// A script that reads frames from one file, and writes frames to another one.
///
/// A frame is a 32-bit big-endian count and as many bytes.
public struct ErlangScript: Sendable {
    private let script: URL

    /// - Parameter script: The file.
    public init(_ script: URL) { self.script = script }

    /// Runs the script, and returns the frames that it writes.
    ///
    /// - Parameters:
    ///   - arguments: What stands before the names of the files.
    ///   - input: The frames that it reads; nil if it reads none.
    public func run(_ arguments: [String], input: [[UInt8]]? = nil) throws -> [[UInt8]] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (inFile, outFile) = (folder.appending(path: "in"), folder.appending(path: "out"))
        if let input { try Data(Self.joined(input)).write(to: inFile) }

        let files = (input == nil ? [] : [inFile.path]) + [outFile.path]
        try ErlangInterpreter.run(script, arguments + files)
        return try Self.split([UInt8](Data(contentsOf: outFile)))
    }

    private static func joined(_ frames: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frames.reduce(0) { $0 + $1.count + 4 })
        for frame in frames {
            for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: frame.count >> shift)) }
            bytes += frame
        }
        return bytes
    }

    private static func split(_ bytes: [UInt8]) throws -> [[UInt8]] {
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
