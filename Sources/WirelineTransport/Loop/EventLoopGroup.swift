// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Several event loops, among which connections are shared out in turn.
public final class EventLoopGroup: Sendable {
    /// The loops, at least one.
    public let loops: [EventLoop]
    private let turn = Atomic<Int>(0)

    /// Starts loops.
    ///
    /// Their threads run until the process ends, so a program makes one group, or uses ``shared``.
    ///
    /// - Parameter threadCount: How many loops, each on a thread of its own; at least 1. One carries hundreds of
    ///   thousands of packets a second; more than one a core do not help.
    /// - Throws: ``TransportError/system(_:)`` when the system has no descriptor or no thread left.
    public init(threadCount: Int) throws(TransportError) {
        precondition(threadCount > 0, "a group has at least one loop")
        var loops: [EventLoop] = []
        for _ in 0..<threadCount { loops.append(try EventLoop()) }
        self.loops = loops
    }

    /// The group of one loop that is used where none is named; it is started when it is first asked for.
    ///
    /// - Throws: ``TransportError/system(_:)``, every time, when it could not be started.
    public static var shared: EventLoopGroup {
        get throws(TransportError) { try sharedResult.get() }
    }

    private static let sharedResult = Result { () throws(TransportError) in try EventLoopGroup(threadCount: 1) }

    /// A group, or the one that is used where none is named.
    package static func sharedUnless(_ group: EventLoopGroup?) throws(TransportError) -> EventLoopGroup {
        if let group { group } else { try shared }
    }

    /// The loop whose turn it is.
    package func nextLoop() -> EventLoop {
        let count = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: count) % UInt(loops.count))]
    }
}
