// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineTransport

/// A check that succeeds unless the machine is too busy. If a child process stalls for longer than a heartbeat waits,
/// the machine is at fault, and the check is repeated.
final class Look: Sendable {
    private static let most = 3

    private let findings: Findings
    private let isLast: Bool
    private let wasLate = Lock(false)

    private init(_ findings: Findings, isLast: Bool) {
        (self.findings, self.isLast) = (findings, isLast)
    }

    /// Repeats the check until nothing was late, or until the last attempt.
    static func look(_ findings: Findings, _ body: @Sendable (Look) async throws -> Void) async throws {
        for number in 1...most {
            let look = Look(findings, isLast: number == most)
            try await body(look)
            guard look.wasLate.withLock({ $0 }) else { return }
        }
    }

    /// Records what must be true however busy the machine is.
    func check(_ isRight: Bool, _ text: String) { findings.check(isRight, text) }

    /// Records what must be true in one of a few attempts.
    func checkInTime(_ isRight: Bool, _ text: String) {
        guard !isRight, !isLast else { return findings.check(isRight, text) }
        wasLate.withLock { $0 = true }
        print("   another look is needed: \(text)")
        flush()
    }
}
