// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineTransport

/// The socket of a connection to a node. It is read, whatever waits for others: Erlang suspends processes that send to a node
/// which does not. It is only not read while the program has much to do of what nodes have said.
///
/// Only the loop's thread uses it.
final class NodeSocket: ByteStreamHandler {
    /// Output up to this waits for the end of the loop's turn and does not count as unsent.
    private static let quickByteCount = 64 << 10

    /// The bytes that the system may buffer in each direction; Linux doubles the number. New output waits behind them.
    /// They carry 250 MB a second if a round trip takes 1 ms.
    private static let systemByteCount = 256 << 10

    private let id: NodeConnectionID
    private let stream: ByteStream
    private unowned let driver: NodeDriver

    /// Takes over a stream, and starts it.
    init(_ id: NodeConnectionID, _ stream: ByteStream, _ driver: NodeDriver) throws(TransportError) {
        self.id = id
        self.stream = stream
        self.driver = driver
        try stream.start(self)
        stream.limitBuffers(to: Self.systemByteCount)
        stream.read()
    }

    /// Sends bytes, with what else is sent in this turn.
    ///
    /// - Parameter isLast: Whether nothing else is sent in this turn: then the system gets the bytes at once, without a copy.
    /// - Returns: How many bytes wait for a node that reads too slowly.
    func write(_ bytes: [UInt8], isLast: Bool) -> Int {
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        if isLast, stream.writeShared(unsafe bytes.span.bytes, packetCount: 1) { return stream.pendingByteCount }
        stream.write(bytes)
        guard isLast || stream.pendingByteCount > Self.quickByteCount else { return 0 }
        stream.flush()
        return stream.pendingByteCount
    }

    /// Sends what has been written, as much as the system takes now.
    func flush() { if stream.pendingByteCount > 0 { stream.flush() } }

    /// Sends what is left, as much as the system takes now, and closes.
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

    /// Reads further, after ``NodeDriver/received(_:on:)`` has said that it is not to be read.
    func readOn() { stream.read() }

    func outputShrank(_ stream: ByteStream) { driver.unsent(stream.pendingByteCount, on: id) }

    func outputDrained(_ stream: ByteStream) { driver.unsent(stream.pendingByteCount, on: id) }

    func endOfStream(_ stream: ByteStream) {
        stream.close()
        driver.ended(id, isBroken: false)
    }

    func failed(_ stream: ByteStream, _ error: TransportError) { driver.ended(id, isBroken: true) }
}
