// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// Writes replies whose only header field beside lengths and ID is the request's sequence number.
///
/// The number's bytes are copied from the request: both packets have it at the same place.
extension PacketConnection {
    /// Sends a reply if the caller is on the loop and need not wait.
    ///
    /// - Returns: Whether it was sent; false also if the header must be computed field by field.
    @inlinable @inline(__always)
    func replyAtOnce(to request: RawSpan, with message: some PacketMessage) throws(ConnectionError) -> Bool {
        guard stream.loop.isCurrent, let place = sequencePlace(in: request) else { return false }
        guard let byteCount = try byteCountAtOnce(of: message), prepareToSend(byteCount) else { return false }
        appendReply(message, byteCount: byteCount, copying: place, of: request)
        return true
    }

    /// Queues a reply without waiting, as ``write(_:)-(PacketMessage)``.
    ///
    /// - Returns: Whether it was queued; false if the header must be computed field by field.
    @inlinable @inline(__always)
    func writeReplyAtOnce(to request: RawSpan, with message: some PacketMessage) throws(ConnectionError) -> Bool {
        guard stream.loop.isCurrent else { throw .notOnLoop }
        guard let place = sequencePlace(in: request), let byteCount = try byteCountAtOnce(of: message) else {
            return false
        }
        // If the output block has room, the stream is open.
        guard byteCount <= stream.freeByteCount || stream.takesOutput else { throw sendError }
        appendReply(message, byteCount: byteCount, copying: place, of: request)
        return true
    }

    /// The place of the bytes to copy, if the request has them; nil if the header must be computed.
    @inlinable @inline(__always)
    func sequencePlace(in request: RawSpan) -> Range<Int>? {
        guard let place = layout.sequencePlace, place.upperBound <= request.byteCount else { return nil }
        return place
    }

    @inlinable @inline(__always)
    func appendReply(_ message: some PacketMessage, byteCount: Int, copying place: Range<Int>, of request: RawSpan) {
        // SAFETY: the stream lends exactly `byteCount` bytes until the loan ends, and the message writes all of them or
        // stops the program. The place lies inside the header, which the packet has, and inside the request.
        guard let loan = unsafe stream.lendOutput(byteCount: byteCount) else { return }
        unsafe message.encodeAtOnce(into: loan.room)
        // At most 8 bytes: a call for so few takes longer than a loop.
        for offset in place {
            unsafe loan.room[offset] = request.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
        }
        unsafe stream.endLoan(loan)
    }
}
