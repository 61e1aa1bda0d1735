// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport

/// The system's figures of a process.
struct ProcessFigures {
    /// This process.
    static let own = ProcessFigures("self")

    private let folder: String

    /// - Parameter process: Its ID.
    init(of process: Int32) { self.init("\(process)") }

    private init(_ name: String) { folder = "/proc/\(name)" }

    /// The number of descriptors, without those of timers: Dispatch opens some when it first waits for a time.
    func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/fd/" + name)
            return target != "anon_inode:[timerfd]"
        }
    }

    /// The memory of the process without that of files, in KiB.
    func memory() throws -> Int {
        let status = try String(contentsOfFile: folder + "/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        guard let value = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            fail("/proc says nothing of the memory", code: 1)
        }
        return value
    }
}
