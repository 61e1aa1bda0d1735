// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport

@testable import WirelineTransport

/// Peers that read their input slowly, and peers that do not read.
@Suite(.ahead)
struct SlowPeerTests {
    private static let timeout = Duration.seconds(2)

    @Test func `a slow reader keeps its connection, and a peer that reads nothing loses it`() async throws {
        // A run in which the machine kept the peer from reading proves nothing, and is repeated.
        for scene in 1... {
            let listener = try RawSocket.listen(receiveBuffer: 4_096)
            let loop = try StreamPair.group.get().nextLoop()
            let stream = try await ByteStream.connect(
                to: .loopback(port: try listener.port()), on: loop, timeout: .seconds(500))
            let peer = try listener.accept()
            let recorder = StreamRecorder(.collect)
            try await stream.onLoop {
                try stream.start(recorder)
                stream.writeTimeout = Self.timeout
            }
            // More than the system buffers, so that it never reports the socket as writable.
            let bytes = [UInt8](repeating: 1, count: 32 << 20)
            // One thread does all of it, so that no wait for another thread disturbs it.
            let (longestPause, failure) = try await onThread {
                let start = MonotonicTime.now
                loop.execute { stream.write(bytes) }
                return (try Self.takeSlowly(from: peer, since: start, for: Self.timeout * 2), recorder.state.failure)
            }
            if failure != nil, longestPause >= Self.timeout / 4, scene < 20 { continue }
            #expect(failure == nil)
            await recorder.wait { $0.failure != nil }
            #expect(recorder.state.failure == .timedOut)
            withExtendedLifetime(peer) {}
            return
        }
    }

    /// Reads some bytes now and then.
    ///
    /// - Returns: The longest time in which nothing was read.
    private static func takeSlowly(
        from peer: RawSocket, since start: MonotonicTime, for time: Duration
    ) throws -> Duration {
        var last = start
        var longest = Duration.zero
        while last < start + time {
            guard try !peer.receive(atMost: 1_000).isEmpty else { break }
            Thread.sleep(forTimeInterval: 0.02)
            let now = MonotonicTime.now
            longest = max(longest, .nanoseconds(now.nanoseconds - last.nanoseconds))
            last = now
        }
        return longest
    }
}
