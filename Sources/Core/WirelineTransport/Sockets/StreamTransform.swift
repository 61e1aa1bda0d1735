// SPDX-License-Identifier: Apache-2.0

/// Converts the bytes of a stream to those on the wire and back, such as TLS; always called on the loop's thread.
///
/// It performs no I/O: the stream hands it arrived bytes, and sends its output.
package protocol StreamTransform: AnyObject {
    /// Whether the handshake is complete. Before that no data of the stream's user is received or sent.
    var isReady: Bool { get }

    var hasOutput: Bool { get }

    /// Whether the end of the output must still be sent.
    var owesEnd: Bool { get }

    /// Whether the end of the output also ends the socket's output (TCP FIN).
    /// Otherwise the socket stays open for writing, though nothing is written, until the stream is closed.
    var endsSocketOutput: Bool { get }

    func start() throws(TransformFailure)

    /// Takes bytes from the wire, and fills memory with their data.
    ///
    /// There may be no bytes, if earlier ones had more data than fitted.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that have arrived, without those taken before.
    ///   - room: The memory for the data; it may be empty before ``isReady``.
    func receive(_ bytes: RawSpan, into room: UnsafeMutableRawBufferPointer) -> TransformReading

    /// No more bytes come from the wire.
    ///
    /// - Throws: If the peer has not announced its end before.
    func endOfInput() throws(TransformFailure)

    /// Takes data to send.
    ///
    /// - Returns: The number of bytes taken; fewer if too much output is queued already.
    func send(_ bytes: RawSpan) throws(TransformFailure) -> Int

    /// Tells the peer that no more data will be sent.
    func endOutput() throws(TransformFailure)

    /// Adds a closing message to the output, because the stream is closed next.
    func queueClosingMessage()

    /// The memory that holds bytes for the wire, in bytes.
    var heldOutputByteCount: Int { get }

    /// Lends the bytes for the wire, and drops as many as `body` says were sent.
    func withOutput(_ body: (RawSpan) -> Int)
}

extension StreamTransform {
    package var endsSocketOutput: Bool { true }

    package func queueClosingMessage() {
        // If this fails, nothing is lost: the socket is closed next.
        try? endOutput()
    }
}

/// The transform cannot continue; it knows why.
package struct TransformFailure: Error {
    package init() {}
}

package struct TransformReading {
    package enum Stop {
        /// It needs more bytes.
        case needsBytes
        /// There may be more data than fitted.
        case needsRoom
        /// Output must be sent first.
        case needsSending
        /// The peer sends no more.
        case ended
        /// It has failed; data in the room came before the fault.
        case failed
    }

    package let takenByteCount: Int
    package let filledByteCount: Int
    package let stop: Stop

    package init(takenByteCount: Int, filledByteCount: Int, stop: Stop) {
        self.takenByteCount = takenByteCount
        self.filledByteCount = filledByteCount
        self.stop = stop
    }
}
