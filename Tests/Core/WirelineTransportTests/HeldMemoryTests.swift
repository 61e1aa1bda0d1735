// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport

@testable import WirelineTransport

/// How much memory a stream keeps for its queued output.
@Suite(.ahead)
struct HeldMemoryTests {
    /// A stream, and the socket at its other end, which has little memory for what it does not read.
    private static func connected() async throws -> (stream: ByteStream, peer: RawSocket) {
        let listener = try RawSocket.listen(receiveBuffer: 4_096)
        let stream = try await ByteStream.connect(
            to: .loopback(port: try listener.port()), on: StreamPair.group.get().nextLoop(), timeout: .seconds(500))
        let recorder = StreamRecorder(.stall)
        try await stream.onLoop { try stream.start(recorder) }
        let peer = try await onThread { try listener.accept() }
        return (stream, peer)
    }

    @Test func `a peer that takes most of the output frees most of its memory`() async throws {
        let (stream, peer) = try await Self.connected()
        var random = SeededGenerator.forThisRun()
        let bytes = random.bytes(16 << 20)
        await stream.write(bytes)
        await stream.onLoop { stream.flush() }
        var counts = await stream.onLoop { Counts(stream) }
        #expect(counts.heldByteCount >= counts.pendingByteCount)
        #expect(counts.pendingByteCount > 8 << 20)

        var received: [UInt8] = []
        var hasShrunk = false
        while received.count < bytes.count {
            received += try await onThread { [peer] in try peer.receive(atMost: 1 << 18) }
            counts = await stream.onLoop { Counts(stream) }
            guard counts.pendingByteCount > 0 else { continue }
            #expect(counts.heldByteCount >= counts.pendingByteCount)
            #expect(counts.heldByteCount <= max(16 << 10, 4 * counts.pendingByteCount))
            hasShrunk = hasShrunk || counts.heldByteCount < 8 << 20
        }
        #expect(hasShrunk)
        #expect(received == bytes)
        await stream.onLoop { stream.close() }
    }

    @Test func `a few queued bytes do not keep a whole block`() async throws {
        let (stream, peer) = try await Self.connected()
        // Until the system takes no more.
        while await stream.onLoop({ !stream.isOutputStalled }) {
            await stream.write([UInt8](repeating: 1, count: 1_000))
            await stream.onLoop { stream.flush() }
        }
        let counts = await stream.onLoop { Counts(stream) }
        #expect(counts.pendingByteCount <= 1_000)
        #expect(counts.heldByteCount <= 16 << 10)
        await stream.onLoop { stream.close() }
        withExtendedLifetime(peer) {}
    }

    private struct Counts {
        let pendingByteCount: Int
        let heldByteCount: Int

        init(_ stream: ByteStream) {
            (pendingByteCount, heldByteCount) = (stream.pendingByteCount, stream.heldByteCount)
        }
    }
}
