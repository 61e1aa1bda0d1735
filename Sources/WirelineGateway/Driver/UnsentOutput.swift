// SPDX-License-Identifier: Apache-2.0

import WirelineErlangGateway
import WirelineTransport

/// The clients that were written to since the system was last offered something, or that did not take all.
struct UnsentOutput {
    private var byteCounts: [ClientNumber: Int] = [:]
    /// The loops that have not reported what the system has taken, and one more while they are asked.
    private(set) var openReportCount = 0
    /// Whether the next offer is scheduled.
    var isScheduled = false

    var isEmpty: Bool { byteCounts.isEmpty }

    /// Whether something waits for a client.
    func contains(_ number: ClientNumber) -> Bool { byteCounts[number] != nil }

    mutating func add(_ byteCount: Int, for number: ClientNumber) { byteCounts[number, default: 0] += byteCount }

    mutating func remove(_ number: ClientNumber) { byteCounts[number] = nil }

    /// How many bytes of a client's the system has taken.
    struct Report {
        let client: ClientConnection
        let number: ClientNumber
        var takenByteCount = 0
    }

    /// Begins an offer: the clients of each loop that have unsent bytes. Each loop, and the caller itself, reports its end.
    mutating func begin(_ clients: [ClientNumber: ClientConnection]) -> [(loop: EventLoop, reports: [Report])] {
        var groups: [ObjectIdentifier: (loop: EventLoop, reports: [Report])] = [:]
        for number in byteCounts.keys {
            guard let client = clients[number] else { continue }
            let loop = client.connection.loop
            groups[ObjectIdentifier(loop), default: (loop, [])].reports.append(Report(client: client, number: number))
        }
        openReportCount += groups.count + 1
        return Array(groups.values)
    }

    /// The system has taken bytes of a client's.
    mutating func took(_ report: Report) {
        guard let byteCount = byteCounts[report.number] else { return }
        byteCounts[report.number] = byteCount > report.takenByteCount ? byteCount - report.takenByteCount : nil
    }

    /// A loop, or the caller of ``begin(_:)``, has reported.
    ///
    /// - Returns: Whether it was the last one.
    mutating func ended() -> Bool {
        openReportCount -= 1
        return openReportCount == 0
    }
}
