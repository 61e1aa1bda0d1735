// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineTransport

/// One look at something that goes well unless the machine is too busy for it: where a child stalls for longer than a
/// heartbeat waits, it is the machine's fault, and worth another look.
final class Look: Sendable {
    private static let most = 3

    private let findings: Findings
    private let isLast: Bool
    private let wasLate = Lock(false)

    private init(_ findings: Findings, isLast: Bool) {
        (self.findings, self.isLast) = (findings, isLast)
    }

    /// Looks until nothing was late, or for the last time.
    static func look(_ findings: Findings, _ body: @Sendable (Look) async throws -> Void) async throws {
        for number in 1...most {
            let look = Look(findings, isLast: number == most)
            try await body(look)
            guard look.wasLate.withLock({ $0 }) else { return }
        }
    }

    /// Says what must be so however busy the machine is.
    func check(_ isRight: Bool, _ text: String) { findings.check(isRight, text) }

    /// Says what must be so once in a few looks.
    func checkInTime(_ isRight: Bool, _ text: String) {
        guard !isRight, !isLast else { return findings.check(isRight, text) }
        wasLate.withLock { $0 = true }
        print("   another look is needed: \(text)")
        flush()
    }
}
