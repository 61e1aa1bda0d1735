// SPDX-License-Identifier: Apache-2.0

import CWirelineSystem

/// A part of a task or of an actor that runs on a loop.
///
/// A job does not tell its kind. A job run as the wrong kind enqueues itself again at every suspension (measured: seven
/// times the cost of an echo, not two). So its kind is stored.
struct LoopJob {
    enum Kind { case task, actor }

    let job: UnownedJob
    let kind: Kind

    func run(on loop: EventLoop) {
        switch kind {
        // SAFETY: the job was taken from the queue, so it runs once, and the loop lives as long as its thread.
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
/// The lock for `@unchecked Sendable`: the loop is set once, before another thread knows this object.
package final class LoopActorExecutor: SerialExecutor, @unchecked Sendable {
    private var loop: EventLoop?

    func attach(to loop: EventLoop) {
        self.loop = loop
    }

    func detach() { loop = nil }

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
