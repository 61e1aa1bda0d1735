// SPDX-License-Identifier: Apache-2.0

import CWirelineSystem
import Synchronization

/// Steps that debug builds count, for each socket, job or timer of a turn.
///
/// Work that visits every connection of a loop in one go delays all of them, but no test can see a delay on a busy
/// machine. So tests check the number of steps. The code that does a step counts it. So any test with many connections
/// finds work that takes too many steps, also later work.
package enum LoopStep: Int, CaseIterable, Sendable {
    /// A stream gets something to send.
    case streamWritten
    case streamEnded
    case timerSet
    /// A packet is opened or sealed.
    case layerPassed
    /// A connection is visited for its counters.
    case connectionCounted
    /// A gateway carries out an effect.
    case effectDone
    /// A gateway writes to a client, or offers the system the written bytes.
    case clientVisited
    case connectionAccepted
    /// A byte of a partial packet or message is moved to other memory.
    case byteMoved
    case messageLogged
    /// A proxy forwards what it has read at once.
    case blockRelayed
    case lineLogged

    /// The most steps in one go.
    package var share: Int {
        switch self {
        case .streamWritten, .streamEnded, .timerSet, .connectionCounted, .connectionAccepted, .clientVisited,
            .blockRelayed:
            1_200
        case .layerPassed, .effectDone: 4_000
        // As long as the longest packets that any program allows.
        case .byteMoved: 32 << 20
        // A block of the smallest packets has fewer.
        case .messageLogged, .lineLogged: 30_000
        }
    }
}

/// The steps of the current socket, job or timer.
struct LoopSteps {
    /// Whether too many steps end the process; only tests ask for that.
    static let areChecked = Atomic(false)

    private var counts = [Int](repeating: 0, count: LoopStep.allCases.count)

    mutating func note(_ step: LoopStep, _ count: Int) {
        counts[step.rawValue] += count
        guard counts[step.rawValue] > step.share, Self.areChecked.load(ordering: .relaxed) else { return }
        // The crash report then shows which code takes too many steps. Only tests come here.
        fatalError("\(step): more than \(step.share) in one go, which delays every other connection of the loop")
    }

    mutating func begin() {
        for index in counts.indices { counts[index] = 0 }
    }
}

extension EventLoop {
    /// From now on too many steps in one go end this process, if it is a debug build. For tests.
    package static func checkSteps() { LoopSteps.areChecked.store(true, ordering: .relaxed) }

    /// Starts a new count, because the loop has found that there is time for more work.
    package func beginSteps() {
        #if DEBUG
            steps.begin()
        #endif
    }

    /// Counts a step of the current thread's loop, if it has one, in a debug build.
    package static func note(_ step: LoopStep) {
        #if DEBUG
            guard let loop = unsafe wireline_current_loop() else { return }
            // SAFETY: the thread of a loop retains it.
            unsafe Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue().note(step)
        #endif
    }

    /// Only in a debug build.
    @inline(__always)
    package func note(_ step: LoopStep, count: Int = 1) {
        #if DEBUG
            steps.note(step, count)
        #endif
    }
}
