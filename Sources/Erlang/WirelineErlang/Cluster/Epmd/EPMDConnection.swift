// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// A request to epmd, on a connection of its own. A registration keeps the connection open and reports its end, because
/// epmd has then removed the name.
///
/// Everything happens on the stream's loop, so `@unchecked Sendable` needs no lock.
final class EPMDConnection: ByteStreamHandler, @unchecked Sendable {
    /// The answer and its connection.
    typealias Outcome = Result<(EPMDAnswer, EPMDConnection), ErlangError>

    /// The time to connect to epmd, and the time for its answer.
    private static let timeout = Duration.seconds(5)

    private let stream: ByteStream
    private var exchange: EPMDExchange
    private var attempt: Attempt<Outcome>?
    private var registrationEnded: (() -> Void)?

    private init(_ request: EPMDRequest, on stream: ByteStream, _ attempt: Attempt<Outcome>) {
        self.stream = stream
        exchange = EPMDExchange(request)
        self.attempt = attempt
    }

    /// Sends a request.
    ///
    /// - Parameter registrationEnded: Called on the loop when the connection of a registration ends; nil for other
    ///   requests.
    /// - Returns: The answer and the connection, which stays open only after a registration.
    static func ask(
        _ request: EPMDRequest, at address: SocketAddress, on loop: EventLoop,
        registrationEnded: (@Sendable () -> Void)? = nil
    ) async throws(ErlangNodeError) -> (EPMDAnswer, EPMDConnection) {
        let stream: ByteStream
        let outcome: Outcome
        do throws(TransportError) {
            stream = try await ByteStream.connect(to: address, on: loop, timeout: timeout)
            outcome = try await Attempt.run(on: loop, timeout: timeout) { attempt throws(TransportError) in
                let connection = EPMDConnection(request, on: stream, attempt)
                connection.registrationEnded = registrationEnded
                attempt.cleanUp = { connection.answered() }
                try connection.begin()
            }
        } catch {
            throw ErlangNodeError(error)
        }
        switch outcome {
        case .success(let answer): return answer
        case .failure(let error): throw .erlang(error)
        }
    }

    /// Use this on the loop.
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

    /// The attempt is over. Only a registration keeps its connection.
    private func answered() {
        attempt = nil
        if registrationEnded == nil { stream.close() }
    }

    private func finish(_ answer: Result<EPMDAnswer, ErlangError>) {
        if case .success(.registered) = answer {} else { registrationEnded = nil }
        attempt?.finish(.success(answer.map { ($0, self) }))
    }

    // MARK: ByteStreamHandler

    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream) {
        stream.lend(&block, byteCount: byteCount) { bytes in
            do throws(ErlangError) {
                if let answer = try exchange.receive(bytes) { finish(.success(answer)) }
            } catch {
                finish(.failure(error))
            }
        }
        stream.read()
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
