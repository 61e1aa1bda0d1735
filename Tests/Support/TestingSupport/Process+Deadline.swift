// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A program that a test started has hung, and was killed.
struct OverdueError: Error, CustomStringConvertible {
    let program: String
    let limit: Duration

    var description: String { "\(program) had not ended after \(limit), and was killed" }
}

extension Process {
    /// Starts a program that tests communicate with. If it hangs, it is killed with all processes that it has started,
    /// so that a test that reads its output, or waits for its end, continues and fails.
    ///
    /// - Parameter limit: How long it may run (default: an hour; no test takes a tenth of that).
    public func runWatched(within limit: Duration = .seconds(3_600)) throws {
        try run(within: limit, isOverdue: {})
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - limit: How long it may run (default: 15 minutes; those that tests run take seconds).
    ///   - body: Runs until the program has ended, for example to read its output.
    /// - Throws: The closure's error; if the program hung and was killed, an error with its name and the time.
    @discardableResult
    public func runToEnd<Value>(
        within limit: Duration = .seconds(900), while body: () throws -> Value = {}
    ) throws -> Value {
        let overdue = Gate()
        try run(within: limit, isOverdue: { overdue.open() })
        let value = Result { try body() }
        waitUntilExit()
        if overdue.isOpen { throw error(limit) }
        return try value.get()
    }

    private func run(within limit: Duration, isOverdue: @escaping @Sendable () -> Void) throws {
        try run()
        let time = DispatchTimeInterval.milliseconds(Int(limit / .milliseconds(1)))
        DispatchQueue.global().asyncAfter(deadline: .now() + time) { [weak self] in
            guard let self, isRunning else { return }
            isOverdue()
            FileHandle.standardError.write(Data("\(error(limit))\n".utf8))
            // Foundation has given it its own process group.
            kill(-processIdentifier, SIGKILL)
        }
    }

    private func error(_ limit: Duration) -> OverdueError {
        OverdueError(program: executableURL?.lastPathComponent ?? "a program", limit: limit)
    }
}
