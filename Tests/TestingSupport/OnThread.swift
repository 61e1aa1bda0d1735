// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs blocking code on a thread of its own, so that it blocks no other test, and waits for it.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let outcome = Seen<Result<Value, any Error>>()
    Thread { outcome.add(Result { try body() }) }.start()
    return try await outcome.first(1)[0].get()
}
