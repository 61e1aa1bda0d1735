// SPDX-License-Identifier: Apache-2.0

/// A question to a DNS server over TCP; use it only on the loop's own thread.
///
/// Each message follows its length, in two bytes (RFC 1035 §4.2.2). The object lives as long as its connection.
final class DNSStream: ByteStreamHandler {
    private let question: DNSQuestion
    private let number = UInt16.random(in: .min ... .max)
    private let attempt: Attempt<DNSReply>
    private var bytes: [UInt8] = []

    private init(_ question: DNSQuestion, _ attempt: Attempt<DNSReply>) {
        self.question = question
        self.attempt = attempt
    }

    static func start(
        _ question: DNSQuestion, _ server: SocketAddress, from origin: ConnectionOrigin,
        _ attempt: Attempt<DNSReply>
    ) {
        let connecting = ConnectAttempt(to: server, from: origin, on: attempt.loop) { outcome in
            switch outcome {
            case .failure(let error): attempt.finish(.failure(error))
            case .success(let stream): DNSStream(question, attempt).start(stream)
            }
        }
        attempt.cleanUp = { connecting.cancel() }
        connecting.start()
    }

    private func start(_ stream: ByteStream) {
        attempt.cleanUp = { stream.close() }
        do throws(TransportError) {
            try stream.start(self)
        } catch {
            return attempt.finish(.failure(error))
        }
        let query = question.query(number: number)
        stream.write([UInt8(query.count >> 8), UInt8(query.count & 0xFF)] + query)
        stream.read()
    }

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        guard let base = unsafe block?.base else { return }
        // SAFETY: the stream says how many bytes it has read into the block.
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: base, count: byteCount))
        guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[0]) << 8 + Int(bytes[1]) else { return stream.read() }
        let length = Int(bytes[0]) << 8 + Int(bytes[1])
        do throws(DNSError) {
            attempt.finish(.success(try question.reply(in: Array(bytes[2..<(2 + length)]), number: number)))
        } catch {
            attempt.finish(.success(.unusable(error)))
        }
    }

    func outputDrained(_ stream: ByteStream) {}

    func endOfStream(_ stream: ByteStream) {
        attempt.finish(.success(.unusable(.malformed(offset: max(0, bytes.count - 2)))))
    }

    func failed(_ stream: ByteStream, _ error: TransportError) {
        attempt.finish(.failure(error))
    }
}
