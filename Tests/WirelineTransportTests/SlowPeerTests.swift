// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Testing
import TestingSupport

@testable import WirelineTransport

/// Peers that take what is sent to them little by little, and peers that do not.
@Suite(.ahead, .timeLimit(.minutes(300)))
struct SlowPeerTests {
    private static let timeout = Duration.seconds(2)

    @Test func `a peer that takes little by little is not given up, and one that takes nothing is`() async throws {
        // A scene in which the machine kept the peer from taking shows nothing, and is repeated.
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
            // More than the system keeps, so that it never says that there is room again.
            let bytes = [UInt8](repeating: 1, count: 32 << 20)
            // One thread sees it through, that no wait for another spoils it.
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

    /// Takes some bytes now and then.
    ///
    /// - Returns: The longest time in which none were taken.
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
