// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineTransport

/// Passes the notes of a node to its gateway. The node starts before the gateway.
final class NodeNotes: Sendable {
    /// The program's own handler.
    private let program: (@Sendable (ErlangNodeNote) -> Void)?
    private let driver = Lock(WeakDriver())

    private struct WeakDriver {
        weak var driver: GatewayDriver?
    }

    init(_ program: (@Sendable (ErlangNodeNote) -> Void)?) { self.program = program }

    /// From now on, notes also go to a gateway. Call this on the node's loop.
    func pass(to driver: GatewayDriver) { self.driver.withLock { $0.driver = driver } }

    func receive(_ note: ErlangNodeNote) {
        program?(note)
        driver.withLock { $0.driver }?.didReceiveNote(note)
    }
}
