// SPDX-License-Identifier: Apache-2.0

/// A stream of OpenSSL's that reads the ciphertext which an engine has been lent and writes to the engine's output.
///
/// Compared with a pair of OpenSSL's memory buffers this saves a copy of what comes in, and bounds what goes out.
///
/// SAFETY: as for ``Callbacks``. The addresses and counts are OpenSSL's.
enum EngineStream {
    /// How OpenSSL deals with such streams; made once.
    static func makeMethod(_ streams: OpenSSL.Streams) -> Handle? {
        let kind = streams.makeIndex()
        guard kind != -1, let method = unsafe streams.makeMethod(kind | Constant.sourceAndSink, "wireline"),
            unsafe streams.setReading(method, read) == 1, unsafe streams.setWriting(method, write) == 1,
            unsafe streams.setControl(method, control) == 1
        else { return nil }
        return unsafe method
    }

    /// A stream of one engine.
    static func make(_ openSSL: OpenSSL, for engine: TLSEngine) -> Handle? {
        guard let stream = unsafe openSSL.streams.make(openSSL.engineStream) else { return nil }
        unsafe openSSL.streams.setData(stream, Unmanaged.passUnretained(engine).toOpaque())
        unsafe openSSL.streams.setInitialized(stream, 1)
        return unsafe stream
    }

    private static let read: OpenSSL.Reading = { stream, destination, byteCount in
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
        guard case .success(let openSSL) = OpenSSL.shared, let stream = unsafe stream, let source = unsafe source,
            let engine = unsafe engine(of: stream, openSSL)
        else { return -1 }
        unsafe openSSL.streams.clearFlags(stream, Constant.retryAny)
        let count = unsafe engine.putOutput(UnsafeRawBufferPointer(start: source, count: Int(max(0, byteCount))))
        if count > 0 { return Int32(count) }
        unsafe openSSL.streams.setFlags(stream, Constant.retryWriting)
        return -1
    }

    /// Flushing is done at once; everything else has no meaning here.
    private static let control: OpenSSL.Control = { _, command, _, _ in command == Constant.flush ? 1 : 0 }

    private static func engine(of stream: Handle, _ openSSL: OpenSSL) -> TLSEngine? {
        guard let data = unsafe openSSL.streams.data(stream) else { return nil }
        return unsafe Unmanaged<TLSEngine>.fromOpaque(data).takeUnretainedValue()
    }
}
