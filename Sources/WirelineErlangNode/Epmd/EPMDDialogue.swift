// SPDX-License-Identifier: Apache-2.0

import WirelineErlang
import WirelineTransport

/// A question to epmd on a connection of its own. After a registration the connection stays open, and its end is
/// reported: the name is gone then.
///
/// Everything happens on the stream's loop, so `@unchecked Sendable` needs no lock.
final class EPMDDialogue: ByteStreamHandler, @unchecked Sendable {
    typealias Answer = Result<EPMDAnswer, ErlangError>

    /// How long epmd may take.
    private static let timeout = Duration.seconds(5)

    private let stream: ByteStream
    private var exchange: EPMDExchange
    private var attempt: Attempt<Answer>?
    private var registrationEnded: (() -> Void)?

    private init(_ request: EPMDRequest, on stream: ByteStream, _ attempt: Attempt<Answer>) {
        self.stream = stream
        exchange = EPMDExchange(request)
        self.attempt = attempt
    }

    /// Asks a question.
    ///
    /// - Parameter registrationEnded: Called on the loop when the connection of a registration ends; nil for other
    ///   questions.
    /// - Returns: The answer, and the connection if it is a registration's.
    static func ask(
        _ request: EPMDRequest, at address: SocketAddress, on loop: EventLoop,
        registrationEnded: (@Sendable () -> Void)? = nil
    ) async throws(ErlangNodeError) -> (EPMDAnswer, EPMDDialogue?) {
        let stream: ByteStream
        let outcome: Answer
        let box = Box()
        do throws(TransportError) {
            stream = try await ByteStream.connect(to: address, on: loop, timeout: timeout)
            outcome = try await Attempt.run(on: loop, timeout: timeout) { attempt throws(TransportError) in
                let dialogue = EPMDDialogue(request, on: stream, attempt)
                dialogue.registrationEnded = registrationEnded
                box.dialogue = dialogue
                attempt.cleanUp = { dialogue.answered() }
                try dialogue.begin()
            }
        } catch {
            throw ErlangNodeError(error)
        }
        switch outcome {
        case .success(let answer): return (answer, box.dialogue)
        case .failure(let error): throw .erlang(error)
        }
    }

    /// Carries the dialogue out of the closure that makes it. Only the loop writes it, before the attempt ends.
    private final class Box: @unchecked Sendable {
        var dialogue: EPMDDialogue?
    }

    /// Whether the connection is open. Use it on the loop.
    var isOpen: Bool { stream.isOpen }

    /// Ends a registration. May be called on any thread.
    func end() {
        stream.loop.execute {
            self.registrationEnded = nil
            self.stream.close()
        }
    }

    private func begin() throws(TransportError) {
        try stream.start(self)
        stream.write(exchange.output)
        stream.read()
    }

    /// The attempt has ended. Only a registration keeps its connection.
    private func answered() {
        attempt = nil
        if registrationEnded == nil { stream.close() }
    }

    private func finish(_ answer: Answer) {
        if case .success(.registered) = answer {} else { registrationEnded = nil }
        attempt?.finish(.success(answer))
    }

    // MARK: ByteStreamHandler

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        guard let block = block.take() else { return }
        take(block, byteCount)
        stream.giveBack(block)
        stream.read()
    }

    private func take(_ block: borrowing Block, _ byteCount: Int) {
        // SAFETY: this many bytes have been read into the block, and no more were asked for.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: byteCount)
        do throws(ErlangError) {
            if let answer = try exchange.receive(bytes) { finish(.success(answer)) }
        } catch {
            finish(.failure(error))
        }
    }

    func endOfStream(_ stream: ByteStream) {
        if attempt != nil {
            do throws(ErlangError) {
                finish(.success(try exchange.endOfInput() ?? .unknownName))
            } catch {
                finish(.failure(error))
            }
        }
        ended()
    }

    func failed(_ stream: ByteStream, _ error: TransportError) {
        attempt?.finish(.failure(error))
        ended()
    }

    func outputDrained(_ stream: ByteStream) {}

    private func ended() {
        let report = registrationEnded
        registrationEnded = nil
        stream.close()
        report?()
    }
}
