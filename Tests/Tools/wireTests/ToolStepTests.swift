// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineTransport

@testable import wire

/// What `wire` does on a loop is counted (`LoopStep`).
struct ToolStepTests {
    #if DEBUG
        @Test func `too many lines for a log in one piece end the process`() async {
            await #expect(processExitsWith: .failure) {
                guard let arguments = try? Arguments(["127.0.0.1:0"], of: .serve),
                    let log = try? ConnectionLog(Console(), arguments), let loop = try? EventLoop()
                else { return }
                EventLoop.checkSteps()
                await loop.run { for _ in 0...LoopStep.lineLogged.share { log.note("") } }
            }
        }
    #endif
}
