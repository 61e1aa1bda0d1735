// SPDX-License-Identifier: Apache-2.0

/// How far ``TLSEngine/read(_:into:)`` has come.
public struct TLSReading: Equatable, Sendable {
    /// Why it has stopped.
    public enum Stop: Equatable, Sendable {
        /// All ciphertext has been taken; more is needed.
        case needsCiphertext
        /// The plaintext has no room left. There may be more, even when all ciphertext has been taken.
        case needsRoom
        /// The engine's output is full: ``TLSEngine/takeCiphertext(_:)`` first.
        case needsDraining
        /// The peer has said that it will send no more; what follows is not looked at.
        case ended
    }

    /// How many bytes of the ciphertext have been taken; the others are to be given again.
    public let byteCount: Int
    /// Why it has stopped.
    public let stop: Stop
}

extension TLSEngine {
    /// Takes ciphertext, and puts the plaintext that is in it behind what is in `plaintext`.
    ///
    /// Until the handshake is complete there is no plaintext, and `plaintext` needs no room. Records that are not whole
    /// yet are kept. The ciphertext may be empty: what is left of an earlier record then comes.
    ///
    /// - Parameters:
    ///   - ciphertext: What the peer has sent, cut anywhere, without what was taken before.
    ///   - plaintext: Where the plaintext goes; 16 KiB hold any record.
    /// - Returns: How much was taken, and why not more.
    /// - Throws: A ``TLSError`` about the peer's certificate or bytes; what `plaintext` holds then came before the fault.
    public func read(_ ciphertext: RawSpan, into plaintext: inout OutputRawSpan) throws(TLSError) -> TLSReading {
        try throwFailure()
        guard !hasReceivedEnd else { return TLSReading(byteCount: 0, stop: .ended) }
        let result: Result<TLSReading, TLSError> = unsafe plaintext.withUnsafeMutableBytes { room, filledCount in
            unsafe ciphertext.withUnsafeBytes { bytes in
                // SAFETY: what is lent is forgotten before this closure returns.
                unsafe input = bytes
                defer { unsafe input = UnsafeRawBufferPointer(start: nil, count: 0) }
                return Result { () throws(TLSError) in
                    try checkFirstBytes()
                    var want = try unsafe fill(room, &filledCount)
                    // What was lent was not taken, for the output is full.
                    if want == .ciphertext, unsafe !input.isEmpty { want = .draining }
                    try payEnd()
                    return unsafe TLSReading(byteCount: bytes.count - input.count, stop: Self.stop(want))
                }
            }
        }
        return try result.get()
    }

    private func fill(_ room: UnsafeMutableRawBufferPointer, _ filledCount: inout Int) throws(TLSError) -> Want {
        let handshake = try shakeHands()
        guard handshake == .nothing else { return handshake }
        while filledCount < room.count {
            let free = unsafe room[filledCount...]
            openSSL.clearErrors()
            // SAFETY: there is room for as many bytes as this says.
            let status = unsafe openSSL.connections.read(
                handle, free.baseAddressOfSlice, Int32(clamping: free.count))
            if status > 0 {
                filledCount += Int(status)
                continue
            }
            let stop = try want(after: status)
            if stop == .end { hasReceivedEnd = true }
            return stop
        }
        return .room
    }

    private static func stop(_ want: Want) -> TLSReading.Stop {
        switch want {
        case .ciphertext: .needsCiphertext
        case .room: .needsRoom
        case .draining: .needsDraining
        case .end: .ended
        case .nothing: preconditionFailure("reading stops for a reason")
        }
    }

    /// Gives OpenSSL of what has been lent, as much as it asks for and there is; nothing while the output has no room for
    /// the answer, so that an alert always finds some.
    func takeInput(_ destination: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe min(destination.count, input.count)
        guard count > 0, pendingByteCount <= Self.outputLimit - Self.answerLimit else { return 0 }
        unsafe destination.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
        unsafe input = UnsafeRawBufferPointer(rebasing: input[count...])
        return count
    }

    // MARK: Not TLS

    /// Looks at the first bytes: they must be the header of a record with a handshake message or an alert (RFC 8446
    /// §5.1). OpenSSL would ask for thousands of bytes before it finds plain packets odd.
    private func checkFirstBytes() throws(TLSError) {
        guard var bytes = firstBytes else { return }
        unsafe bytes += input.prefix(8 - bytes.count)
        firstBytes = bytes
        if let error = firstBytesFailure {
            tellUnexpectedMessage()
            throw fail(error)
        }
        if bytes.count >= 3 { firstBytes = nil }
    }

    /// Puts the alert into the output that such bytes are answered by (RFC 8446 §5), unprotected as everything is before
    /// there are keys: a peer without TLS then knows whom it has met. OpenSSL has not seen the bytes.
    private func tellUnexpectedMessage() {
        sentAlert = .unexpectedMessage
        output += [21, 3, 3, 0, 2, UInt8(Constant.fatalLevel), TLSAlert.unexpectedMessage.rawValue]
    }

    /// What the first bytes are if they are not TLS.
    var firstBytesFailure: TLSError? {
        guard let bytes = firstBytes, let kind = bytes.first else { return nil }
        let (alert, handshake, majorVersion): (UInt8, UInt8, UInt8) = (21, 22, 3)
        let isRecord = (kind == alert || kind == handshake) && (bytes.count < 2 || bytes[1] == majorVersion)
        return isRecord ? nil : .notTLS(firstBytes: bytes)
    }
}

extension Slice<UnsafeMutableRawBufferPointer> {
    fileprivate var baseAddressOfSlice: UnsafeMutableRawPointer? {
        unsafe UnsafeMutableRawBufferPointer(rebasing: self).baseAddress
    }
}
