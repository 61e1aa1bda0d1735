// SPDX-License-Identifier: Apache-2.0

extension TLSEngine {
    /// The most plaintext in a record, and more than the rest of it takes (RFC 5246 §6.2).
    private static let recordPlaintextLimit = 16384
    private static let recordCiphertextLimit = recordPlaintextLimit + 2048
    /// More than what one record of the peer's is answered by once there are keys: a change of keys and an alert, of up to
    /// 100 bytes each. It is less than what ``writeRecords(_:)`` leaves.
    static let answerLimit = 1024
    /// After how many records keys are changed: AES-GCM is good for 2^24.5 of them (RFC 8446 §5.5).
    static let recordLimit = 1 << 23

    /// Takes plaintext; what becomes of it waits in the output.
    ///
    /// - Parameter plaintext: What is to be sent.
    /// - Returns: How many bytes were taken: fewer than were given when the output is full, none before the handshake is
    ///   complete. The others are to be given again after ``takeCiphertext(_:)``.
    /// - Throws: ``TLSError/outputEnded`` behind ``endOutput()``; why the connection has failed before.
    public func write(_ plaintext: RawSpan) throws(TLSError) -> Int {
        try throwFailure()
        guard !hasEndedOutput else { throw .outputEnded }
        guard isHandshakeComplete else { return 0 }
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
            // SAFETY: so many bytes are there, and OpenSSL keeps none of them.
            let status = unsafe openSSL.connections.write(
                handle, plaintext.baseAddress.map { unsafe $0 + takenCount }, Int32(count))
            guard status > 0 else {
                // A record always has room; what else was to be sent first has not, or the peer has failed before.
                _ = try want(after: status)
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
        guard unsafe openSSL.connections.updateKey(handle, Constant.updateOwnKey) == 1 else {
            // The rest of a message of the peer's has to come first; the old key is good for longer than that.
            guard !isInsideMessage else { return }
            throw fail(.failed(reason: openSSL.firstFailure.reason))
        }
        recordCount = 0
    }

    /// Tells the peer that nothing follows (`close_notify`); it waits in the output, behind what was written.
    ///
    /// Reading goes on. Before the handshake is complete there is nothing to end and nobody is told.
    ///
    /// - Throws: Why the connection has failed before.
    public func endOutput() throws(TLSError) {
        try throwFailure()
        guard !hasEndedOutput else { return }
        hasEndedOutput = true
        owesEnd = isHandshakeComplete
        try payEnd()
    }

    func payEnd() throws(TLSError) {
        guard owesEnd else { return }
        openSSL.clearErrors()
        let status = unsafe openSSL.connections.end(handle)
        // 0: our half is done; 1: the peer's was before.
        if status < 0 {
            guard !isInsideMessage else { return }
            if try want(after: status) == .draining { return }
        }
        owesEnd = false
    }

    /// Whether OpenSSL refuses what it was asked because a message of the peer's has begun whose rest has not come: session
    /// tickets, or a change of keys.
    private var isInsideMessage: Bool {
        let failure = openSSL.firstFailure
        guard failure.library == Constant.librarySSL else { return false }
        return failure.code == Constant.endsInsideMessage || failure.code == Constant.isInsideMessage
    }

    // MARK: Output

    /// How much ciphertext waits to be sent, in bytes.
    public var pendingByteCount: Int { output.count - outputStart }

    /// Lends the ciphertext that waits to be sent, if there is any.
    ///
    /// - Parameter body: Sends of the bytes what it can, and returns how many these were; the others stay. It must not
    ///   call the engine.
    /// - Throws: What the closure throws; nothing is taken then.
    public func takeCiphertext<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Int) throws(Failure) {
        guard pendingByteCount > 0 else { return }
        let lent = output
        let bytes = unsafe lent.span.bytes
        let count = try body(bytes.extracting(droppingFirst: outputStart))
        precondition(count >= 0 && count <= pendingByteCount, "more was sent than there was")
        outputStart += count
        guard pendingByteCount == 0 else { return }
        output = []
        outputStart = 0
        // What goes wrong here is kept, and thrown by the next call.
        try? payEnd()
    }

    /// Makes room for the records of so much plaintext at once; at least twice what there was, for asking for a little more
    /// each time would move everything each time.
    private func reserveOutput(forPlaintext byteCount: Int) {
        let recordCount = byteCount / Self.recordPlaintextLimit + 1
        let needed = output.count + min(Self.outputLimit, byteCount + recordCount * 64)
        guard needed > output.capacity else { return }
        output.reserveCapacity(max(needed, 2 * output.capacity))
    }

    /// Takes what OpenSSL wants to send, as much as there is room for.
    func putOutput(_ source: UnsafeRawBufferPointer) -> Int {
        let count = min(source.count, Self.outputLimit - pendingByteCount)
        guard count > 0 else { return 0 }
        // What has left goes once it is the larger part, so that no byte is moved more than once on average.
        if outputStart > pendingByteCount {
            output.removeFirst(outputStart)
            outputStart = 0
        }
        unsafe output.append(contentsOf: UnsafeRawBufferPointer(rebasing: source[..<count]))
        return count
    }
}
