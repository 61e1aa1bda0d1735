// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Several event loops that take connections in turn.
public final class EventLoopGroup: Sendable {
    /// The loops, at least one.
    public let loops: [EventLoop]
    private let turn = Atomic<Int>(0)

    /// Starts loops.
    ///
    /// Their threads run until the process ends, so a program makes one group, or uses the default ones.
    ///
    /// - Parameter threadCount: The number of loops, each with its own thread; at least 1. One handles hundreds of
    ///   thousands of packets a second; more than one per core does not help.
    /// - Throws: ``TransportError/system(_:)`` if the system has no descriptor or no thread left.
    public init(threadCount: Int) throws(TransportError) {
        precondition(threadCount > 0, "a group has at least one loop")
        var loops: [EventLoop] = []
        for _ in 0..<threadCount { loops.append(try EventLoop()) }
        self.loops = loops
    }

    package init(loops: [EventLoop]) {
        precondition(!loops.isEmpty, "a group has at least one loop")
        self.loops = loops
    }

    /// The default group of clients and sessions, with one loop; it is started on first use.
    ///
    /// - Throws: ``TransportError/system(_:)``, every time, if it could not be started.
    public static var shared: EventLoopGroup {
        get throws(TransportError) { try sharedResult.get() }
    }

    private static let sharedResult = Result { () throws(TransportError) in try EventLoopGroup(threadCount: 1) }

    /// The default group of servers, with one loop for each processor core; it is started on first use.
    ///
    /// All servers of a process share it. A core counts if the process may run on it (`sched_getaffinity`). A limit of
    /// processor time, such as a container's, does not count: pass a smaller group then.
    ///
    /// - Throws: ``TransportError/system(_:)``, every time, if it could not be started.
    public static var sharedByServers: EventLoopGroup {
        get throws(TransportError) { try serversResult.get() }
    }

    private static let serversResult = Result { () throws(TransportError) in
        try EventLoopGroup(threadCount: SystemCall.usableCoreCount())
    }

    package static func sharedUnless(_ group: EventLoopGroup?) throws(TransportError) -> EventLoopGroup {
        if let group { group } else { try shared }
    }

    package static func sharedByServersUnless(_ group: EventLoopGroup?) throws(TransportError) -> EventLoopGroup {
        if let group { group } else { try sharedByServers }
    }

    package func nextLoop() -> EventLoop {
        let count = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        return loops[Int(UInt(bitPattern: count) % UInt(loops.count))]
    }
}
