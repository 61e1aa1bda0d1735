// SPDX-License-Identifier: Apache-2.0

/// The result of ``TLSEngine/read(_:into:)``.
public struct TLSReading: Equatable, Sendable {
    /// Why it has stopped.
    public enum Stop: Equatable, Sendable {
        /// All ciphertext has been taken; more is needed.
        case needsCiphertext
        /// The plaintext buffer is full. There may be more, even if all ciphertext has been taken.
        case needsRoom
        /// The engine's output is full: call ``TLSEngine/takeCiphertext(_:)`` first.
        case needsDraining
        /// The peer has announced its end; later bytes are ignored.
        case ended
    }

    /// The number of ciphertext bytes taken; give the others again.
    public let byteCount: Int
    /// Why it has stopped.
    public let stop: Stop
}

extension TLSEngine {
    /// Decrypts ciphertext, and appends the plaintext to `plaintext`.
    ///
    /// Before the handshake is complete there is no plaintext, and `plaintext` needs no free space. Incomplete records
    /// are kept. The ciphertext may be empty: then the rest of an earlier record follows.
    ///
    /// - Parameters:
    ///   - ciphertext: The peer's bytes, cut anywhere, without those taken before.
    ///   - plaintext: Receives the plaintext; 16 KiB hold any record.
    /// - Returns: How much was taken, and why not more.
    /// - Throws: A ``TLSError`` about the peer's certificate or bytes; `plaintext` then holds what came before the
    ///   fault.
    public func read(_ ciphertext: RawSpan, into plaintext: inout OutputRawSpan) throws(TLSError) -> TLSReading {
        try throwFailure()
        guard !hasReceivedEnd else { return TLSReading(byteCount: 0, stop: .ended) }
        let result: Result<TLSReading, TLSError> = unsafe plaintext.withUnsafeMutableBytes { room, filledCount in
            unsafe ciphertext.withUnsafeBytes { bytes in
                // SAFETY: the lent bytes are forgotten before this closure returns.
                unsafe input = bytes
                defer { unsafe input = UnsafeRawBufferPointer(start: nil, count: 0) }
                return Result { () throws(TLSError) in
                    try checkFirstBytes()
                    var reason = try unsafe fill(room, &filledCount)
                    // Lent bytes were not taken because the output is full.
                    if reason == .ciphertext, unsafe !input.isEmpty { reason = .draining }
                    try sendOwedEnd()
                    return unsafe TLSReading(byteCount: bytes.count - input.count, stop: Self.stop(reason))
                }
            }
        }
        return try result.get()
    }

    private func fill(_ room: UnsafeMutableRawBufferPointer, _ filledCount: inout Int) throws(TLSError) -> WaitReason {
        let handshake = try shakeHands()
        guard handshake == .nothing else { return handshake }
        while filledCount < room.count {
            let free = unsafe room[filledCount...]
            openSSL.clearErrors()
            // SAFETY: `free` has as many bytes as it says.
            let status = unsafe openSSL.connections.read(
                handle, free.baseAddressOfSlice, Int32(clamping: free.count))
            if status > 0 {
                filledCount += Int(status)
                continue
            }
            let stop = try waitReason(after: status)
            if stop == .end { hasReceivedEnd = true }
            return stop
        }
        return .room
    }

    private static func stop(_ reason: WaitReason) -> TLSReading.Stop {
        switch reason {
        case .ciphertext: .needsCiphertext
        case .room: .needsRoom
        case .draining: .needsDraining
        case .end: .ended
        case .nothing: preconditionFailure("reading stops for a reason")
        }
    }

    /// Gives OpenSSL as many lent bytes as it asks for.
    ///
    /// It gives none while the output has no space for an answer, so that an alert always fits.
    func takeInput(_ destination: UnsafeMutableRawBufferPointer) -> Int {
        // SAFETY: `count` is at most that of both buffers, and OpenSSL's buffer is not part of the lent bytes.
        let count = unsafe min(destination.count, input.count)
        guard count > 0, pendingByteCount <= Self.outputLimit - Self.answerLimit else { return 0 }
        unsafe destination.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
        unsafe input = UnsafeRawBufferPointer(rebasing: input[count...])
        return count
    }

    // MARK: Not TLS

    /// Checks that the first bytes begin a record with a handshake message or an alert (RFC 8446 §5.1).
    ///
    /// OpenSSL would ask for thousands of bytes before it refuses plain packets.
    private func checkFirstBytes() throws(TLSError) {
        guard var bytes = firstBytes else { return }
        // SAFETY: the lent bytes stay until ``read(_:into:)`` returns.
        unsafe bytes += input.prefix(8 - bytes.count)
        firstBytes = bytes
        if let error = firstBytesFailure {
            tellUnexpectedMessage()
            throw fail(error)
        }
        if bytes.count >= 3 { firstBytes = nil }
    }

    /// Queues the alert for bytes that are not TLS (RFC 8446 §5), unencrypted because there are no keys yet.
    ///
    /// It shows a peer without TLS that this side uses TLS. OpenSSL has not seen the bytes.
    private func tellUnexpectedMessage() {
        sentAlert = .unexpectedMessage
        output += [21, 3, 3, 0, 2, UInt8(Constant.fatalLevel), TLSAlert.unexpectedMessage.rawValue]
    }

    var firstBytesFailure: TLSError? {
        guard let bytes = firstBytes, let kind = bytes.first else { return nil }
        let (alert, handshake, majorVersion): (UInt8, UInt8, UInt8) = (21, 22, 3)
        let isRecord = (kind == alert || kind == handshake) && (bytes.count < 2 || bytes[1] == majorVersion)
        return isRecord ? nil : .notTLS(firstBytes: bytes)
    }
}

extension Slice<UnsafeMutableRawBufferPointer> {
    fileprivate var baseAddressOfSlice: UnsafeMutableRawPointer? {
        // SAFETY: the address is used only while the slice's buffer is lent.
        unsafe UnsafeMutableRawBufferPointer(rebasing: self).baseAddress
    }
}
