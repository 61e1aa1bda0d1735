// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Programs that wait for work, because they take long to begin. There are as many as were ever needed at one time.
final class Pool<Program: Sendable>: Sendable {
    private let free = Mutex<[Program]>([])

    /// Works with a program that is free, or with a new one. After an error, the program is not used again.
    func with<Value>(make: () throws -> Program, body: (Program) throws -> Value) throws -> Value {
        let program = try free.withLock { $0.popLast() } ?? make()
        let value = try body(program)
        free.withLock { $0.append(program) }
        return value
    }
}
