// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Messages that many connections send: a server's frames are not masked, so one frame may be right for all of them.
extension WebSocketEngine {
    /// The properties of a connection that change the frame of a message.
    package struct FrameForm: Hashable, Sendable {
        fileprivate let isCompressed: Bool
        fileprivate let windowBits: Int
        fileprivate let level: Int
    }

    /// The form of the next message of this connection; nil if it cannot share a frame.
    ///
    /// A client masks its frames. A compressor that refers to earlier messages makes a different frame for each
    /// connection.
    package func sharedForm(ofMessageWith byteCount: Int) -> FrameForm? {
        guard role == .server, isOpen, fragments == nil, ahead == nil else { return nil }
        guard let deflate, byteCount >= deflate.minimumByteCount
        else { return FrameForm(isCompressed: false, windowBits: 0, level: 0) }
        guard !deflate.takesContextOver else { return nil }
        return FrameForm(isCompressed: true, windowBits: deflate.windowBits, level: deflate.level)
    }

    /// The frame of a binary message, for all connections with this form.
    package static func frame(of content: RawSpan, in form: FrameForm) throws(WebSocketError) -> [UInt8] {
        let payload =
            form.isCompressed
            ? try Deflater(windowBits: form.windowBits, level: form.level).deflate(content, isLast: true)
            : [UInt8](copying: content)
        let header = FrameHeader(
            isFinal: true, isCompressed: form.isCompressed, opcode: .binary, payloadByteCount: payload.count)
        // SAFETY: the memory has as many bytes as the header.
        let start = unsafe [UInt8](unsafeUninitializedCapacity: header.byteCount) { room, filledByteCount in
            guard let base = room.baseAddress else { return }
            filledByteCount = unsafe header.write(to: UnsafeMutableRawPointer(base))
        }
        return start + payload
    }

    /// Sends a frame of ``frame(of:in:)`` with the form that ``sharedForm(ofMessageWith:)`` returned.
    ///
    /// - Returns: Whether it was queued, as with ``send(_:as:)``.
    package mutating func sendShared(_ frame: [UInt8]) -> Bool {
        guard isOpen, pendingByteCount < configuration.outputLimit else { return false }
        reserveOutput(frame.count)
        output += frame
        return true
    }
}
