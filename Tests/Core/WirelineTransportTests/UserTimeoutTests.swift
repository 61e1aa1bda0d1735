// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import FaultSupport
    import Testing
    import TestingSupport

    @testable import WirelineTransport

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Connections that the system itself ends (ETIMEDOUT).
    @Suite(.ahead)
    struct UserTimeoutTests {
        @Test(arguments: [false, true])
        func `a connection that the system ends has timed out, whether it is read or not`(
            isRead: Bool
        ) async throws {
            // It takes a few kilobytes, and no more.
            let listener = try RawSocket.listen(receiveBuffer: 4_096)
            let stream = try await ByteStream.connect(
                to: .loopback(port: try listener.port()), on: StreamPair.group.get().nextLoop(),
                timeout: .seconds(500))
            let recorder = StreamRecorder(.collect)
            try await stream.onLoop {
                try stream.start(recorder)
                // The system probes for window space now and then, and gives up after this time.
                var timeout: UInt32 = 1
                let byteCount = socklen_t(MemoryLayout<UInt32>.size)
                #expect(setsockopt(stream.number, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &timeout, byteCount) == 0)
                if isRead { stream.read() }
            }
            await stream.write([UInt8](repeating: 1, count: 32 << 20))
            await recorder.wait { $0.failure != nil }
            #expect(recorder.state.failure == .timedOut)
            withExtendedLifetime(listener) {}
        }
    }
#endif
