// SPDX-License-Identifier: Apache-2.0

/// An OpenSSL stream that reads the ciphertext lent to an engine and writes to the engine's output.
///
/// Compared with two of OpenSSL's memory buffers, it saves a copy of the input and bounds the output.
enum EngineStream {
    /// OpenSSL's method table for such streams, made once and never freed; nil without memory.
    ///
    /// INVARIANT: threads may share the pointer, because Swift writes it once, under the lock of a lazy static, and
    /// OpenSSL only reads the finished table.
    private nonisolated(unsafe) static let method: Handle? = {
        guard case .success(let openSSL) = OpenSSL.shared else { return nil }
        return unsafe makeMethod(openSSL.streams)
    }()

    private static func makeMethod(_ streams: OpenSSL.Streams) -> Handle? {
        let kind = streams.makeIndex()
        // SAFETY: no other thread has the new table. OpenSSL copies the name. Each function has the type of its slot.
        guard kind != -1, let method = unsafe streams.makeMethod(kind | Constant.sourceAndSink, "wireline"),
            unsafe streams.setReading(method, read) == 1, unsafe streams.setWriting(method, write) == 1,
            unsafe streams.setControl(method, control) == 1
        else { return nil }
        return unsafe method
    }

    static func make(_ openSSL: OpenSSL, for engine: TLSEngine) -> Handle? {
        // SAFETY: the stream is new; it keeps an unretained engine, whose `deinit` frees the connection and with it the
        // stream.
        guard let method = unsafe method, let stream = unsafe openSSL.streams.make(method) else { return nil }
        unsafe openSSL.streams.setData(stream, Unmanaged.passUnretained(engine).toOpaque())
        unsafe openSSL.streams.setInitialized(stream, 1)
        return unsafe stream
    }

    private static let read: OpenSSL.Reading = { stream, destination, byteCount in
        // SAFETY: OpenSSL lends `byteCount` bytes for the call, which a method of the engine made, so the engine lives.
        guard case .success(let openSSL) = OpenSSL.shared, let stream = unsafe stream,
            let destination = unsafe destination, let engine = unsafe engine(of: stream, openSSL)
        else { return -1 }
        unsafe openSSL.streams.clearFlags(stream, Constant.retryAny)
        let count = unsafe engine.takeInput(
            UnsafeMutableRawBufferPointer(start: destination, count: Int(max(0, byteCount))))
        if count > 0 { return Int32(count) }
        unsafe openSSL.streams.setFlags(stream, Constant.retryReading)
        return -1
    }

    private static let write: OpenSSL.Writing = { stream, source, byteCount in
        // SAFETY: OpenSSL lends `byteCount` bytes for the call, which a method of the engine made, so the engine lives.
        guard case .success(let openSSL) = OpenSSL.shared, let stream = unsafe stream, let source = unsafe source,
            let engine = unsafe engine(of: stream, openSSL)
        else { return -1 }
        unsafe openSSL.streams.clearFlags(stream, Constant.retryAny)
        let count = unsafe engine.putOutput(UnsafeRawBufferPointer(start: source, count: Int(max(0, byteCount))))
        if count > 0 { return Int32(count) }
        unsafe openSSL.streams.setFlags(stream, Constant.retryWriting)
        return -1
    }

    /// Flushing does nothing and succeeds; other commands are not supported.
    private static let control: OpenSSL.Control = { _, command, _, _ in command == Constant.flush ? 1 : 0 }

    private static func engine(of stream: Handle, _ openSSL: OpenSSL) -> TLSEngine? {
        // SAFETY: `make` put an engine there; it lives, because only its own methods make OpenSSL use the stream.
        guard let data = unsafe openSSL.streams.data(stream) else { return nil }
        return unsafe Unmanaged<TLSEngine>.fromOpaque(data).takeUnretainedValue()
    }
}
