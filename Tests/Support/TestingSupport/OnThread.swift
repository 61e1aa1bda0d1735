// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs blocking code on a thread of its own, so that it blocks no other test, and waits for it.
///
/// - Parameter stackByteCount: The size of the thread's stack; nil for the usual one.
public func onThread<Value: Sendable>(
    stackByteCount: Int? = nil, _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    let outcome = Seen<Result<Value, any Error>>()
    let thread = Thread { outcome.add(Result { try body() }) }
    if let stackByteCount { thread.stackSize = stackByteCount }
    thread.start()
    return try await outcome.first(1)[0].get()
}
