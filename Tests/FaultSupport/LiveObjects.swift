// SPDX-License-Identifier: Apache-2.0

import Foundation
import WirelineTransport

/// Which objects there still are, of those that should go when nobody needs them any more.
public final class LiveObjects<Object: AnyObject & Sendable>: Sendable {
    private struct Reference: Sendable {
        weak var object: Object?
    }

    private let references = Lock<[Reference]>([])

    public init() {}

    public func add(_ object: Object) { references.withLock { $0.append(Reference(object: object)) } }

    /// How many were added and have not gone.
    public var count: Int { references.withLock { $0.count { $0.object != nil } } }

    /// Waits until all have gone.
    ///
    /// - Returns: What is wrong, if something is: those that have not gone after a time in which everything has.
    public func complaint(_ name: String) async throws -> String? {
        let isGone = try await eventually { self.count == 0 }
        return isGone ? nil : "\(count) \(name) have not gone"
    }
}

/// Waits until something is so.
///
/// - Returns: False where it is not so after a time in which everything has happened that is going to.
public func eventually(
    within limit: Duration = .seconds(500), _ condition: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < end else { return false }
        try await Task.sleep(for: .milliseconds(2))
    }
    return true
}
