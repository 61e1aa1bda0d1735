// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport

@testable import WirelineTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Peers that end, reset or vanish while nothing is read from them.
@Suite(.ahead)
struct LostPeerTests {
    /// A stream that is not read, and the socket at its other end.
    private func unreadStream(
        receiveBuffer: Int32? = nil, _ prepare: @escaping @Sendable (ByteStream) -> Void = { _ in }
    ) async throws -> (stream: ByteStream, recorder: StreamRecorder, peer: RawSocket) {
        let listener = try RawSocket.listen(receiveBuffer: receiveBuffer)
        let stream = try await ByteStream.connect(
            to: .loopback(port: try listener.port()), on: StreamPair.group.get().nextLoop(), timeout: .seconds(500))
        let recorder = StreamRecorder(.stall)
        try await stream.onLoop {
            prepare(stream)
            try stream.start(recorder)
        }
        return (stream, recorder, try await onThread { try listener.accept() })
    }

    @Test func `a reset is noticed without reading, and the bytes before it can be read`() async throws {
        let (stream, recorder, peer) = try await unreadStream()
        try await onThread { [peer] in try peer.send([1, 2, 3]) }
        try await resetWhenAcknowledged(peer)
        await recorder.wait { $0.outputFailure != nil }
        #expect(recorder.state.outputFailure == .reset)
        #expect(recorder.state.failure == nil)
        await stream.onLoop { stream.read() }
        await recorder.wait { $0.received.count == 3 }
        #expect(recorder.state.received == [1, 2, 3])
        await stream.onLoop { stream.read() }
        await recorder.wait { $0.failure != nil }
        #expect(recorder.state.failure == .reset)
    }

    @Test func `a reset ends a stream that is not read and has nothing to read`() async throws {
        let (stream, recorder, peer) = try await unreadStream()
        await stream.onLoop { stream.read() }
        try await onThread { [peer] in try peer.send([1]) }
        await recorder.wait { $0.received.count == 1 }
        try await resetWhenAcknowledged(peer)
        await recorder.wait { $0.failure != nil }
        #expect(recorder.state.failure == .reset)
        #expect(await stream.onLoop { !stream.isOpen })
    }

    @Test func `an end of stream is noticed without reading, and is no failure`() async throws {
        let (stream, recorder, peer) = try await unreadStream()
        try await onThread { [peer] in
            try peer.send([1, 2, 3])
            peer.endOutput()
        }
        await recorder.wait { $0.hasHeardPeerEnd }
        #expect(recorder.state.outputFailure == nil)
        #expect(!recorder.state.hasEnded)
        await stream.onLoop { stream.read() }
        await recorder.wait { $0.received.count == 3 }
        await stream.onLoop { stream.read() }
        await recorder.wait { $0.hasEnded }
        // The peer can still receive.
        await stream.write([4])
        let answer = try await onThread { [peer] in try peer.receive() }
        #expect(answer == [4])
        await stream.onLoop { stream.close() }
    }

    @Test func `a connection ends if the peer takes nothing from the system's buffer`() async throws {
        let (stream, recorder, peer) = try await unreadStream(receiveBuffer: 4_096) {
            $0.writeTimeout = .milliseconds(500)
        }
        // More than the peer's system takes, and less than this system takes.
        await stream.write([UInt8](repeating: 1, count: 64 << 10))
        let counts = await stream.onLoop {
            stream.flush()
            return [stream.pendingByteCount, stream.undeliveredByteCount]
        }
        #expect(counts[0] == 0)
        #expect(counts[1] > 0)
        await recorder.wait { $0.failure != nil }
        #expect(recorder.state.failure == .timedOut)
        withExtendedLifetime(peer) {}
    }

    @Test func `a connection stays open if the peer has acknowledged everything`() async throws {
        let (stream, recorder, peer) = try await unreadStream { $0.writeTimeout = .milliseconds(100) }
        await stream.write([1])
        let received = try await onThread { [peer] in try peer.receive() }
        #expect(received == [1])
        #expect(try await eventually { await stream.onLoop { stream.undeliveredByteCount } == 0 })
        // This check finds nothing that is not acknowledged, so it is the last one.
        #expect(try await eventually { await stream.onLoop { !stream.writeDeadline.isWatched } })
        #expect(recorder.state.failure == nil)
        await stream.onLoop { stream.close() }
        withExtendedLifetime(peer) {}
    }

    @Test func `bytes after urgent data are read at once, and the urgent byte is part of the stream`() async throws {
        let (stream, recorder, peer) = try await unreadStream()
        await stream.onLoop { stream.read() }
        for round in 1...20 {
            // In one segment if possible: then one event reports all of it.
            try await onThread { [peer] in
                peer.holdSegments(true)
                try peer.send([1, 2])
                try peer.sendUrgent([3])
                try peer.send([4, 5])
                peer.holdSegments(false)
            }
            while recorder.state.received.count < 5 * round {
                let count = recorder.state.received.count
                await stream.onLoop { stream.read() }
                await recorder.wait { $0.received.count > count }
            }
        }
        #expect(recorder.state.received == repeatElement([1, 2, 3, 4, 5], count: 20).merged)
        await stream.onLoop { stream.close() }
    }

    #if os(Linux)
        @Test func `a silent peer is probed`() async throws {
            let (stream, _, peer) = try await unreadStream { $0.keepAlive(after: .milliseconds(59_001)) }
            let options = await stream.onLoop {
                [
                    SystemCall.socketOption(stream.number, SOL_SOCKET, SO_KEEPALIVE),
                    SystemCall.socketOption(stream.number, Int32(IPPROTO_TCP), TCP_KEEPIDLE),
                    SystemCall.socketOption(stream.number, Int32(IPPROTO_TCP), TCP_KEEPINTVL),
                    SystemCall.socketOption(stream.number, Int32(IPPROTO_TCP), TCP_KEEPCNT),
                ]
            }
            #expect(options == [1, 60, 15, 4])
            await stream.onLoop { stream.close() }
            withExtendedLifetime(peer) {}
        }
    #endif

    /// Resets the connection once the sent bytes have arrived: a reset would overtake them.
    private func resetWhenAcknowledged(_ peer: RawSocket) async throws {
        #expect(try await eventually { peer.unacknowledgedByteCount == 0 })
        peer.reset()
    }
}
