// SPDX-License-Identifier: Apache-2.0

import Foundation
import WirelineTransport

/// The objects that still exist, of those that should be released when they are no longer needed.
public final class LiveObjects<Object: AnyObject & Sendable>: Sendable {
    private struct Reference: Sendable {
        weak var object: Object?
    }

    private let references = Lock<[Reference]>([])

    public init() {}

    public func add(_ object: Object) { references.withLock { $0.append(Reference(object: object)) } }

    /// How many of the added objects still exist.
    public var count: Int { references.withLock { $0.count { $0.object != nil } } }

    /// Waits until all objects are released.
    ///
    /// - Returns: A complaint if objects still exist after a generous time.
    public func complaint(_ name: String) async throws -> String? {
        let isGone = try await eventually { self.count == 0 }
        return isGone ? nil : "\(count) \(name) have not gone"
    }
}

/// Waits until a condition is true.
///
/// - Returns: False if it is still not true after a generous time.
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
