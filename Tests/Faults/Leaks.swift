// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import TestingSupport
import Wireline

/// Sessions that are cut behind each byte, again and again: nothing of them may stay.
enum Leaks {
    private static let sweepCount = 8

    static func look(_ findings: Findings) async throws {
        let remembering = RememberingServer()
        let server = try await remembering.start()
        let relay = try Relay(to: server.address.port)
        let session = GoimCutSession(with: remembering, by: relay.port)
        var (descriptorCount, memory, sessionCount) = (0, 0, 0)
        for sweep in 0..<sweepCount {
            let (complaints, count, _) = try await session.cutEverywhere(
                by: relay, [.end, .reset], name: "sweep \(sweep)")
            findings.check(complaints, "sweep \(sweep + 1): \(count) sessions came back")
            let isQuiet = try await eventually {
                server.connections.isEmpty && session.connections.count == 0 && remembering.connections.count == 0
            }
            if !isQuiet { findings.check(false, "connections are left") }
            // Everything that grows once has grown after the first ones.
            if sweep == 1 { (descriptorCount, memory) = (try Self.descriptorCount(), try Self.memory()) }
            if sweep > 1 { sessionCount += count }
        }
        let isClosed = try await eventually { try Self.descriptorCount() <= descriptorCount }
        findings.check(isClosed, "descriptors: \(descriptorCount) before, \(try Self.descriptorCount()) after")
        let each = (try Self.memory() - memory) * 1_024 / sessionCount
        // A session takes several kilobytes. What the server remembers of each login is a part of this.
        findings.check(each < 1_500, "memory: \(each) bytes for each of \(sessionCount) sessions that have been")
        relay.stop()
        await server.shutDown()
    }

    private static func descriptorCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// The memory that this process has and that is not a file's, in KiB.
    private static func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        guard let value = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            fail("/proc says nothing of the memory", code: 1)
        }
        return value
    }
}
