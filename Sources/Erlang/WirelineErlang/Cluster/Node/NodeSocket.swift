// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The socket of a connection to a node. It is read even if much output waits, because Erlang suspends processes that
/// send
/// to a node that does not read. Only a program that is behind stops the reading.
///
/// Only the loop's thread uses it.
final class NodeSocket: ByteStreamHandler {
    /// Up to this many bytes of output wait for the end of the loop's turn, and do not count as unsent.
    private static let quickByteCount = 64 << 10

    /// The bytes that the system may buffer in each direction; Linux doubles the number. New output waits behind them.
    /// They carry 250 MB a second if a round trip takes 1 ms.
    private static let systemByteCount = 256 << 10

    private let id: NodeConnectionID
    private let stream: ByteStream
    private unowned let driver: NodeDriver

    init(_ id: NodeConnectionID, _ stream: ByteStream, _ driver: NodeDriver) throws(TransportError) {
        self.id = id
        self.stream = stream
        self.driver = driver
        try stream.start(self)
        stream.limitBuffers(to: Self.systemByteCount)
        stream.read()
    }

    /// Sends bytes together with the turn's other output.
    ///
    /// - Parameter isLast: Whether the turn has no other output: then the system gets the bytes at once, without a
    ///   copy.
    /// - Returns: The bytes that wait for a node that reads too slowly.
    func write(_ bytes: [UInt8], isLast: Bool) -> Int {
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        if isLast, stream.writeShared(unsafe bytes.span.bytes, packetCount: 1) { return stream.pendingByteCount }
        stream.write(bytes)
        guard isLast || stream.pendingByteCount > Self.quickByteCount else { return 0 }
        stream.flush()
        return stream.pendingByteCount
    }

    /// Offers all output to the system.
    func flush() { if stream.pendingByteCount > 0 { stream.flush() } }

    /// Offers the output and these bytes to the system, and closes, whatever the system has taken.
    func close(after bytes: [UInt8]) {
        if !bytes.isEmpty { stream.write(bytes) }
        stream.flush()
        stream.close()
    }

    // MARK: ByteStreamHandler

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        var goesOn = true
        stream.lend(&block, byteCount: byteCount) { goesOn = driver.received($0, on: id) }
        if goesOn { stream.read() }
    }

    /// Continues after ``NodeDriver/received(_:on:)`` has returned false.
    func resumeReading() { stream.read() }

    func outputShrank(_ stream: ByteStream) { driver.unsent(stream.pendingByteCount, on: id) }

    func outputDrained(_ stream: ByteStream) { driver.unsent(stream.pendingByteCount, on: id) }

    func endOfStream(_ stream: ByteStream) {
        stream.close()
        driver.ended(id, isBroken: false)
    }

    func failed(_ stream: ByteStream, _ error: TransportError) { driver.ended(id, isBroken: true) }
}
