// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Messages of one frame that has arrived whole and is not compressed: most messages. They need no state between calls.
///
/// ``read(_:into:at:)`` does everything else: fragments, compressed messages, control frames, and all faults.
extension WebSocketEngine {
    package struct WholeMessage<Content> {
        package let kind: WebSocketMessageKind
        package let content: Content
        /// The number of bytes of its frame.
        package let byteCount: Int
    }

    /// Takes the next message if the bytes begin with all of its only frame.
    ///
    /// - Parameter bytes: The peer's bytes, without those taken before.
    /// - Returns: Nil if there is no such frame; then nothing was taken, and ``read(_:into:at:)`` must take the bytes.
    package mutating func takeWholeMessage(from bytes: RawSpan) -> WholeMessage<WebSocketMessage>? {
        guard let frame = wholeFrame(in: bytes) else { return nil }
        let message: WebSocketMessage
        switch frame.kind {
        case .binary: message = .binary(content(of: frame, in: bytes))
        case .text:
            guard let text = text(of: frame, in: bytes) else { return nil }
            message = .text(text)
        }
        take(frame)
        return WholeMessage(kind: frame.kind, content: message, byteCount: frame.byteCount)
    }

    /// Takes the next message as ``takeWholeMessage(from:)`` does, but returns text as bytes, too.
    package mutating func takeWholeContent(from bytes: RawSpan) -> WholeMessage<[UInt8]>? {
        guard let frame = wholeFrame(in: bytes) else { return nil }
        let content = content(of: frame, in: bytes)
        if frame.kind == .text {
            // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
            let characters = unsafe content.span.bytes
            guard characters.validUTF8ByteCount == characters.byteCount else { return nil }
        }
        take(frame)
        return WholeMessage(kind: frame.kind, content: content, byteCount: frame.byteCount)
    }

    private mutating func take(_ frame: WholeFrame) {
        takenByteCount += frame.byteCount
        wholeCount &+= 1
    }

    // MARK: The frame

    private struct WholeFrame {
        let kind: WebSocketMessageKind
        let headerByteCount: Int
        let payloadByteCount: Int
        let maskKey: UInt32

        var byteCount: Int { headerByteCount + payloadByteCount }
    }

    /// Returns the frame at the start of the bytes, if it is a whole message within the limits.
    @inline(__always)
    private func wholeFrame(in bytes: RawSpan) -> WholeFrame? {
        guard framePart == .header, headerReader.takenByteCount == 0, message == nil, case .open = state,
            bytes.byteCount >= 2
        else { return nil }
        // SAFETY: here and below, the offsets were compared with the number of bytes.
        let first = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: 0, as: UInt8.self)
        let second = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: 1, as: UInt8.self)
        let isText = first == Self.onlyFrame | Opcode.text.rawValue
        guard isText && configuration.takesText || first == Self.onlyFrame | Opcode.binary.rawValue,
            (second & 0x80 != 0) == (role == .server)
        else { return nil }
        let keyByteCount = role == .server ? 4 : 0
        var headerByteCount = 2 + keyByteCount
        var payloadByteCount = Int(second & 0x7F)
        if payloadByteCount >= 126 {
            let lengthByteCount = payloadByteCount == 126 ? 2 : 8
            guard bytes.byteCount >= 2 + lengthByteCount else { return nil }
            let short = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 2, as: UInt16.self)
            var length = UInt64(UInt16(bigEndian: short))
            if lengthByteCount == 8 {
                let long = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 2, as: UInt64.self)
                length = UInt64(bigEndian: long)
            }
            // The length must have its shortest form, and not more bytes than there are.
            guard length > (lengthByteCount == 2 ? 125 : 0xFFFF), length <= UInt64(bytes.byteCount) else { return nil }
            payloadByteCount = Int(length)
            headerByteCount += lengthByteCount
        }
        guard payloadByteCount <= bytes.byteCount - headerByteCount,
            payloadByteCount <= min(configuration.frameLimit, configuration.messageLimit),
            configuration.fragmentLimit > 0
        else { return nil }
        var key: UInt32 = 0
        if keyByteCount > 0 {
            key = unsafe bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: headerByteCount - keyByteCount, as: UInt32.self)
        }
        return WholeFrame(
            kind: isText ? .text : .binary, headerByteCount: headerByteCount, payloadByteCount: payloadByteCount,
            maskKey: UInt32(littleEndian: key))
    }

    /// The first byte of a frame that is a whole message and not compressed, without its opcode.
    private static var onlyFrame: UInt8 { 0x80 }

    // MARK: Content

    @inline(__always)
    private func content(of frame: WholeFrame, in bytes: RawSpan) -> [UInt8] {
        var content: [UInt8] = []
        // The standard library would write the count, 0, into memory shared by all empty arrays, which the thread
        // sanitizer reports as a race.
        guard frame.payloadByteCount > 0 else { return content }
        // `Array(unsafeUninitializedCapacity:)` looks its type up each time, which takes as long as the allocation.
        content.append(addingCapacity: frame.payloadByteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { room, filledByteCount in
                guard let base = room.baseAddress else { return }
                // SAFETY: there is space for the payload, and all of it is written.
                unsafe copyPayload(of: frame, in: bytes, to: UnsafeMutableRawPointer(base))
                filledByteCount = frame.payloadByteCount
            }
        }
        return content
    }

    /// Nil if the text is not UTF-8.
    private func text(of frame: WholeFrame, in bytes: RawSpan) -> String? {
        guard role == .server else {
            return String(validating: bytes.extracting(frame.headerByteCount..<frame.byteCount))
        }
        // SAFETY: all bytes of the temporary memory are written, and used only as long as it is lent.
        return unsafe withUnsafeTemporaryAllocation(byteCount: frame.payloadByteCount, alignment: 8) { room in
            guard let base = room.baseAddress else { return "" }
            unsafe copyPayload(of: frame, in: bytes, to: base)
            return unsafe String(validating: RawSpan(_unsafeBytes: UnsafeRawBufferPointer(room)))
        }
    }

    /// Copies the payload of a frame, and unmasks it if this is a server.
    @inline(__always)
    private func copyPayload(of frame: WholeFrame, in bytes: RawSpan, to destination: UnsafeMutableRawPointer) {
        // SAFETY: the frame lies in the bytes, and the callers provide as much memory as its payload has bytes.
        unsafe bytes.withUnsafeBytes { bytes in
            let payload = unsafe UnsafeRawBufferPointer(rebasing: bytes[frame.headerByteCount..<frame.byteCount])
            if role == .server {
                unsafe Masking.copy(payload, to: destination, key: frame.maskKey)
            } else if let start = payload.baseAddress {
                unsafe destination.copyMemory(from: start, byteCount: payload.count)
            }
        }
    }
}
