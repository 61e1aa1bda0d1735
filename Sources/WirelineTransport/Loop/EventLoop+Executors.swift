// SPDX-License-Identifier: Apache-2.0

import CWirelineSystem

/// A piece of a task or of an actor that is to run on a loop.
///
/// A job does not tell which of the two it is, and one that is run in the other's name enqueues itself again at every
/// suspension (measured: seven times the cost of an echo, not two). So it is noted by whom it came.
struct LoopJob {
    enum Kind { case task, actor }

    let job: UnownedJob
    let kind: Kind

    func run(on loop: EventLoop) {
        switch kind {
        case .task: unsafe job.runSynchronously(on: loop.asUnownedTaskExecutor())
        case .actor: unsafe job.runSynchronously(on: loop.actorExecutor.asUnownedSerialExecutor())
        }
    }
}

/// Runs tasks that prefer a loop: `Task(executorPreference: loop) { … }`.
extension EventLoop: TaskExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        add(LoopJob(job: UnownedJob(job), kind: .task))
    }
}

/// Runs actors on a loop.
///
/// The lock behind `@unchecked Sendable`: the loop is set once, before any other thread knows of this object.
package final class LoopActorExecutor: SerialExecutor, @unchecked Sendable {
    private var loop: EventLoop?

    func attach(to loop: EventLoop) {
        self.loop = loop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        loop?.add(LoopJob(job: UnownedJob(job), kind: .actor))
    }

    package func checkIsolated() {
        loop?.preconditionIsCurrent()
    }

    package func isIsolatingCurrentContext() -> Bool? {
        loop?.isCurrent
    }
}
