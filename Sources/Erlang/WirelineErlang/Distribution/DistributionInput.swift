// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

package enum DistributionEvent: Equatable, Sendable {
    case tick
    /// The bytes are those of the term after the control message, without a version byte. They stay unread, because the
    /// receiver may be gone.
    case message(ControlMessage, content: [UInt8]?)
    /// The reason is inside of the control message.
    case reason(ControlMessage, ErlangTerm)
    /// The term was too long, and was dropped.
    case skipped(ControlMessage)
}

/// The bytes of a connected node, cut anywhere, as events.
///
/// Once it has thrown, it throws the same error again, and the connection must be closed.
package struct DistributionInput {
    private enum State {
        case reading
        case failed(ErlangError)
    }

    private var decoder: PacketDecoder
    private var buffer: [UInt8] = []
    /// The offset of the first unread byte in the buffer.
    private var offset = 0
    private var state = State.reading

    /// - Parameter peer: The other node, with the flags that both nodes have.
    package init(peer: ErlangPeer, limits: DistributionLimits = DistributionLimits()) {
        decoder = PacketDecoder(peer: peer, limits: limits)
    }

    /// The bytes of an incomplete packet and of incomplete messages.
    package var heldByteCount: Int { buffer.count - offset + decoder.heldByteCount }

    package mutating func receive(_ bytes: RawSpan) {
        if offset > 0 {
            buffer.removeFirst(offset)
            offset = 0
        }
        buffer.append(byteCount: bytes.byteCount) { $0.writeBytes(bytes) }
    }

    /// Returns nil to wait for more bytes.
    package mutating func nextEvent() throws(ErlangError) -> DistributionEvent? {
        if case .failed(let error) = state { throw error }
        do throws(ErlangError) {
            while let packet = try nextPacket() {
                if let event = try event(of: packet) { return event }
            }
            return nil
        } catch {
            state = .failed(error)
            (buffer, offset) = ([], 0)
            decoder.forget()
            throw error
        }
    }

    /// The next whole packet in the buffer, without its length.
    private mutating func nextPacket() throws(ErlangError) -> Range<Int>? {
        guard let byteCount = try decoder.packetByteCount(in: buffer.rawSpan.extracting(offset..<buffer.count)),
            buffer.count - offset >= 4 + byteCount
        else { return nil }
        let start = offset + 4
        offset = start + byteCount
        return start..<offset
    }

    private mutating func event(of packet: Range<Int>) throws(ErlangError) -> DistributionEvent? {
        // A second reference to the array: the decoder can change while the bytes are borrowed.
        let buffer = buffer
        let bytes = buffer.rawSpan.extracting(packet)
        switch try decoder.decode(bytes) {
        case .tick: return .tick
        case .fragment: return nil
        case .message(let control, let content):
            return .message(control, content: [UInt8](copying: bytes.extracting(content)))
        case .assembled(let control, let content): return .message(control, content: content)
        case .control(let control, reason: nil): return .message(control, content: nil)
        case .control(let control, let reason?): return .reason(control, reason)
        case .skipped(let control): return .skipped(control)
        }
    }
}

extension ErlangTerm {
    /// Reads a term without a version byte, as after a control message. Bytes after it are ignored, as in OTP.
    package init(content bytes: RawSpan, limits: ErlangTermLimits = ErlangTermLimits()) throws(ErlangError) {
        var terms = TermReader(ByteReader(bytes), limits)
        self = try terms.readTerm()
    }
}
