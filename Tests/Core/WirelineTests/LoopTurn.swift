// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The number of a loop's turn. Only the loop uses it, so it needs no lock.
final class LoopTurn: @unchecked Sendable {
    private let loop: EventLoop
    private(set) var number = 0
    private var timer: EventLoop.Timer?

    init(of loop: EventLoop) {
        self.loop = loop
        count()
    }

    private func count() {
        timer = loop.schedule(at: loop.now) {
            self.number += 1
            self.count()
        }
    }

    func stop() { loop.cancel(&timer) }
}
