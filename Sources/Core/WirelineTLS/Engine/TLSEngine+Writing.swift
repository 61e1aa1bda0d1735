// SPDX-License-Identifier: Apache-2.0

extension TLSEngine {
    /// The largest plaintext of a record, and a bound for its ciphertext (RFC 5246 §6.2).
    private static let recordPlaintextLimit = 16384
    private static let recordCiphertextLimit = recordPlaintextLimit + 2048
    /// An upper bound of the answer to one record of the peer once there are keys, in bytes.
    ///
    /// The answer is a key update and an alert, of up to 100 bytes each. ``writeRecords(_:)`` leaves more than this
    /// free.
    static let answerLimit = 1024
    /// The number of records after which keys are changed: AES-GCM allows 2^24.5 of them (RFC 8446 §5.5).
    static let recordLimit = 1 << 23

    /// Encrypts plaintext into the output.
    ///
    /// - Parameter plaintext: The bytes to send.
    /// - Returns: The number of bytes taken: fewer than given if the output is full, none before the handshake is
    ///   complete. Give the others again after ``takeCiphertext(_:)``.
    /// - Throws: ``TLSError/outputEnded`` after ``endOutput()``; the earlier error if the connection has failed.
    public func write(_ plaintext: RawSpan) throws(TLSError) -> Int {
        try throwFailure()
        guard !hasEndedOutput else { throw .outputEnded }
        guard isHandshakeComplete else { return 0 }
        // SAFETY: the closure does not keep the bytes.
        let result: Result<Int, TLSError> = unsafe plaintext.withUnsafeBytes { bytes in
            Result { () throws(TLSError) in try unsafe writeRecords(bytes) }
        }
        return try result.get()
    }

    private func writeRecords(_ plaintext: UnsafeRawBufferPointer) throws(TLSError) -> Int {
        reserveOutput(forPlaintext: plaintext.count)
        var takenCount = 0
        while takenCount < plaintext.count, pendingByteCount + Self.recordCiphertextLimit <= Self.outputLimit {
            try changeKeyIfUsedUp()
            let count = min(plaintext.count - takenCount, Self.recordPlaintextLimit)
            openSSL.clearErrors()
            // SAFETY: `count` bytes are there, and OpenSSL keeps none of them.
            let status = unsafe openSSL.connections.write(
                handle, plaintext.baseAddress.map { unsafe $0 + takenCount }, Int32(count))
            guard status > 0 else {
                // A record always fits; either output before it does not, or the peer has failed before.
                _ = try waitReason(after: status)
                break
            }
            takenCount += Int(status)
            recordCount += 1
        }
        return takenCount
    }

    private func changeKeyIfUsedUp() throws(TLSError) {
        guard recordCount >= recordLimit, version == .tls13 else { return }
        openSSL.clearErrors()
        // SAFETY: the handle lives as long as the engine.
        guard unsafe openSSL.connections.updateKey(handle, Constant.updateOwnKey) == 1 else {
            // The rest of a peer's message must arrive first; the old key lasts longer than that.
            guard !isInsideMessage else { return }
            throw fail(.failed(reason: openSSL.firstFailure.reason))
        }
        recordCount = 0
    }

    /// Queues the end of the output (`close_notify`) after the written bytes.
    ///
    /// Reading continues. Before the handshake is complete there is nothing to end, and the peer is not told.
    ///
    /// - Throws: The earlier error if the connection has failed.
    public func endOutput() throws(TLSError) {
        try throwFailure()
        guard !hasEndedOutput else { return }
        hasEndedOutput = true
        owesEnd = isHandshakeComplete
        try sendOwedEnd()
    }

    func sendOwedEnd() throws(TLSError) {
        guard owesEnd else { return }
        openSSL.clearErrors()
        // SAFETY: the handle lives as long as the engine.
        let status = unsafe openSSL.connections.end(handle)
        // 0: this side has ended; 1: the peer had ended before.
        if status < 0 {
            guard !isInsideMessage else { return }
            if try waitReason(after: status) == .draining { return }
        }
        owesEnd = false
    }

    /// Whether OpenSSL refused a call because a message of the peer is incomplete, such as a session ticket or a key
    /// update.
    private var isInsideMessage: Bool {
        let failure = openSSL.firstFailure
        guard failure.library == Constant.librarySSL else { return false }
        return failure.code == Constant.endsInsideMessage || failure.code == Constant.isInsideMessage
    }

    // MARK: Output

    /// The number of bytes of queued ciphertext.
    public var pendingByteCount: Int { output.count - outputStart }

    /// Lends the queued ciphertext, if there is any.
    ///
    /// - Parameter body: Sends as many bytes as it can, and returns their number; the others stay queued. It must not
    ///   call the engine.
    /// - Throws: The errors of the closure; then nothing is taken.
    public func takeCiphertext<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Int) throws(Failure) {
        guard pendingByteCount > 0 else { return }
        let lent = output
        // SAFETY: `lent` is a copy of the array, so its bytes stay while `body` runs, and `UInt8` has no padding.
        let bytes = unsafe lent.span.bytes
        let count = try body(bytes.extracting(droppingFirst: outputStart))
        precondition(count >= 0 && count <= pendingByteCount, "more was sent than there was")
        outputStart += count
        guard pendingByteCount == 0 else { return fitOutput() }
        output = []
        outputStart = 0
        // An error here is kept, and thrown by the next call.
        try? sendOwedEnd()
    }

    package var outputCapacity: Int { output.capacity }

    /// Moves queued output to memory of its size, if it fills less than a quarter of its memory.
    ///
    /// A peer that reads slowly must not hold all of that memory.
    private func fitOutput() {
        guard output.capacity > max(16 << 10, 4 * pendingByteCount) else { return }
        output = Array(output[outputStart...])
        outputStart = 0
    }

    /// Reserves memory for the records of that much plaintext, and at least twice the current capacity.
    ///
    /// Small steps would move all bytes each time.
    private func reserveOutput(forPlaintext byteCount: Int) {
        let recordCount = byteCount / Self.recordPlaintextLimit + 1
        let needed = output.count + min(Self.outputLimit, byteCount + recordCount * 64)
        guard needed > output.capacity else { return }
        output.reserveCapacity(max(needed, 2 * output.capacity))
    }

    /// Takes as much of OpenSSL's output as fits.
    func putOutput(_ source: UnsafeRawBufferPointer) -> Int {
        let count = min(source.count, Self.outputLimit - pendingByteCount)
        guard count > 0 else { return 0 }
        // Sent bytes are removed once they are the larger part; so, on average, no byte moves more than once.
        if outputStart > pendingByteCount {
            output.removeFirst(outputStart)
            outputStart = 0
        }
        // SAFETY: `count` is at most that of the bytes lent.
        unsafe output.append(contentsOf: UnsafeRawBufferPointer(rebasing: source[..<count]))
        return count
    }
}
