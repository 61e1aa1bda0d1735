// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What a connected node has said.
package enum DistributionEvent: Equatable, Sendable {
    case tick
    /// A control message, and the bytes of the term that follows it, without a version byte. They are not looked at: a
    /// message to a process that is gone need not be read.
    case message(ControlMessage, content: [UInt8]?)
    /// A control message with its reason inside.
    case reason(ControlMessage, ErlangTerm)
    /// A message that was too long, and was not kept.
    case skipped(ControlMessage)
}

/// The bytes that a connected node sends, cut anywhere, as events.
///
/// Once it has thrown, it throws the same error again, and the connection must be closed.
package struct DistributionInput {
    private enum State {
        case reading
        case failed(ErlangError)
    }

    private var decoder: PacketDecoder
    private var buffer: [UInt8] = []
    /// The offset in the buffer of what has not been read.
    private var offset = 0
    private var state = State.reading

    /// - Parameters:
    ///   - peer: The other node, with the flags that both have.
    ///   - limits: What it may cost.
    package init(peer: ErlangPeer, limits: DistributionLimits = DistributionLimits()) {
        decoder = PacketDecoder(peer: peer, limits: limits)
    }

    /// The bytes that are kept: of a packet that is not whole, and of messages that are not.
    package var heldByteCount: Int { buffer.count - offset + decoder.heldByteCount }

    /// Takes bytes that have arrived.
    package mutating func receive(_ bytes: RawSpan) {
        if offset > 0 {
            buffer.removeFirst(offset)
            offset = 0
        }
        buffer.append(byteCount: bytes.byteCount) { $0.writeBytes(bytes) }
    }

    /// Returns what the bytes that have arrived say; nil to wait for more.
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

    /// The place of the next whole packet in the buffer, without its length.
    private mutating func nextPacket() throws(ErlangError) -> Range<Int>? {
        guard let byteCount = try decoder.packetByteCount(in: buffer.rawSpan.extracting(offset..<buffer.count)),
            buffer.count - offset >= 4 + byteCount
        else { return nil }
        let start = offset + 4
        offset = start + byteCount
        return start..<offset
    }

    private mutating func event(of packet: Range<Int>) throws(ErlangError) -> DistributionEvent? {
        // A reference, so that the decoder can change while the bytes are borrowed.
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
    /// Reads a term without a version byte, as it follows a control message. Bytes after it are ignored, as OTP does.
    package init(content bytes: RawSpan, limits: ErlangTermLimits = ErlangTermLimits()) throws(ErlangError) {
        var terms = TermReader(ByteReader(bytes), limits)
        self = try terms.readTerm()
    }
}
