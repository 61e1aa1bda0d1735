// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineSchema
import WirelineTransport

/// The requests on one connection, their replies, and the server's other messages.
///
/// One task sends a request and waits for its reply before it sends the next one. Another task receives and prints,
/// even while the first one waits for standard input. It receives only as fast as its output is read.
///
/// The first event that ends the conversation sets its result (``finish(_:)``).
actor Conversation {
    /// A request that is being sent or waits for its reply.
    private struct Exchange {
        let request: CallRequest
        var awaitsReply: Bool
    }

    /// The end of the server's stream. Without an error, the server has ended the stream after a whole packet.
    private struct ConnectionEnd {
        let error: ConnectionError?
    }

    private let call: ServerCall
    private let connection: PacketConnection
    private var requests: CallRequests
    /// The number of requests that were started.
    private var begunCount = 0
    private var exchange: Exchange?
    /// The sending task, while it waits for a reply.
    private var replyWaiter: CheckedContinuation<Void, Never>?
    private var isWaitingForInput = false
    private var isListening = false
    /// Whether no reply has shown yet that the last sent message has arrived.
    private(set) var needsDelivery = false

    private var connectionEnd: ConnectionEnd?
    private var outcome: Result<Void, CommandError>?
    private var waiter: CheckedContinuation<Result<Void, CommandError>, Never>?

    /// The deadline for sending the current request and for its reply. One timer serves all requests.
    private var deadline: MonotonicTime?
    private var hasTimer = false
    private let start: MonotonicTime

    /// - Parameter start: The start of the first reply's time limit, if the requests are a list.
    init(_ call: ServerCall, on connection: PacketConnection, _ requests: CallRequests, start: MonotonicTime) {
        self.call = call
        self.connection = connection
        self.requests = requests
        self.start = start
    }

    func run() async throws(CommandError) {
        // Nobody awaits these two tasks. They end with the conversation. If one still waits for standard input, it ends
        // with the process.
        Task { await receive() }
        Task { await send() }
        let result = await withCheckedContinuation { continuation in
            if let outcome { continuation.resume(returning: outcome) } else { waiter = continuation }
        }
        try result.get()
    }

    /// Ends the conversation for the user. It is an error if a request was not sent or a reply is missing.
    func interrupt() {
        if let exchange, exchange.awaitsReply {
            finish(.failure(.failure("interrupted before \(call.endpoint) replied to \(exchange.request.name)")))
        } else if isListening || isWaitingForInput {
            finish(.success(()))
        } else {
            finish(.failure(.failure("interrupted before everything was sent")))
        }
    }

    private func finish(_ outcome: Result<Void, CommandError>) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        waiter.take()?.resume(returning: outcome)
        replyWaiter.take()?.resume()
    }

    private var isOver: Bool { outcome != nil }

    // MARK: Sending

    private func send() async {
        do throws(CommandError) {
            while !isOver, let request = try await nextRequest() {
                begunCount += 1
                try await perform(request)
            }
            endRequests()
        } catch {
            finish(.failure(error))
        }
    }

    private func nextRequest() async throws(CommandError) -> CallRequest? {
        switch requests {
        case .list(let list):
            return begunCount < list.count ? list[begunCount] : nil
        case .lines(var lines, var maker):
            defer { requests = .lines(lines, maker) }
            while true {
                if let line = lines.next() { return try maker.request(line: line, number: lines.number) }
                guard lines.isOpen else { return nil }
                await waitForInput()
                guard !isOver else { return nil }
                try lines.read()
            }
        }
    }

    private func waitForInput() async {
        isWaitingForInput = true
        endIfInputIsAwaited()
        if !isOver { await StandardInput.waitForArrival() }
        isWaitingForInput = false
    }

    private func perform(_ request: CallRequest) async throws(CommandError) {
        if let connectionEnd { throw call.endFailure(connectionEnd.error, of: request) }
        exchange = Exchange(request: request, awaitsReply: request.expectation != nil)
        needsDelivery = true
        let isFirstOfList = if case .list = requests { begunCount == 1 } else { false }
        watch(until: (isFirstOfList ? start : .now) + call.timeout.duration)
        try await send(request)
        if exchange?.awaitsReply == true, !isOver { await withCheckedContinuation { replyWaiter = $0 } }
        exchange = nil
        deadline = nil
    }

    private func send(_ request: CallRequest) async throws(CommandError) {
        let bytes: [UInt8]
        do throws(TranslationError) {
            bytes = try await connection.loop.run { [connection] () throws(TranslationError) in
                try request.packet.bytes(on: connection)
            }
        } catch {
            throw .failure(error.description)
        }
        do throws(ConnectionError) {
            try await connection.send(packet: bytes)
        } catch {
            throw call.endFailure(error, of: request)
        }
    }

    /// Whether the last request of a list was started.
    private var isLast: Bool {
        if case .list(let list) = requests { begunCount == list.count } else { false }
    }

    /// Called after the last request. Ends the conversation, or starts to listen.
    private func endRequests() {
        guard !isOver, !isListening else { return }
        switch call.listening {
        case .no: return finish(.success(()))
        case .lasting(let duration):
            // Nobody awaits this task. It ends with the process.
            Task {
                try? await Task.sleep(for: duration)
                finish(.success(()))
            }
        case .forever: break
        }
        isListening = true
        if let connectionEnd { endListening(connectionEnd.error) }
    }

    // MARK: Receiving

    private func receive() async {
        var end: ConnectionError?
        do throws(ConnectionError) {
            while !isOver, let packet = try await connection.next() {
                do throws(CommandError) {
                    try take(packet)
                } catch {
                    return finish(.failure(error))
                }
            }
        } catch {
            end = error
        }
        if !isOver { connectionEnded(end) }
    }

    private func take(_ packet: ReceivedPacket) throws(CommandError) {
        guard !isOver else { return }
        guard let exchange, exchange.awaitsReply, let expectation = exchange.request.expectation else {
            if !call.isAlone { try print(call.json(of: packet)) }
            return
        }
        switch expectation.verdict(on: packet) {
        case .reply:
            try print(call.json(of: packet, to: exchange.request))
            replied()
        case .otherReply(let name):
            try print(call.json(of: packet))
            let expected = expectation.name.map { ", not by \($0)" } ?? ""
            throw .failure("\(exchange.request.name) was answered by \(name)\(expected)")
        case .failure(let name):
            try print(call.json(of: packet))
            throw .failure("\(exchange.request.name) failed, says \(name)")
        case .notReply where call.isAlone: call.console.report(expectation.note(passingOver: packet))
        case .notReply: try print(call.json(of: packet))
        }
    }

    private func print(_ line: JSONValue) throws(CommandError) {
        try call.console.print(line.description)
        try call.console.flush()
    }

    private func replied() {
        exchange?.awaitsReply = false
        deadline = nil
        needsDelivery = false
        // Without `--listen`, no message is printed after the last reply, even if it has already arrived.
        if isLast { endRequests() }
        replyWaiter.take()?.resume()
    }

    private func connectionEnded(_ error: ConnectionError?) {
        connectionEnd = ConnectionEnd(error: error)
        if let exchange, exchange.awaitsReply {
            finish(.failure(call.endFailure(error, of: exchange.request)))
        } else if isListening {
            endListening(error)
        } else {
            endIfInputIsAwaited()
        }
    }

    private func endListening(_ error: ConnectionError?) {
        finish(error == nil ? .success(()) : .failure(call.endFailure(error, "")))
    }

    /// Ends the conversation if the connection has ended and standard input has no new bytes.
    ///
    /// Input that has already arrived decides instead. A line can no longer be sent, so it is an error. The end of the
    /// input completes the conversation.
    private func endIfInputIsAwaited() {
        guard let connectionEnd, isWaitingForInput, !StandardInput.hasArrived else { return }
        finish(.failure(call.endFailure(connectionEnd.error, "before standard input ended")))
    }

    // MARK: Time limits

    private func watch(until deadline: MonotonicTime) {
        self.deadline = deadline
        if !hasTimer { setTimer(at: deadline) }
    }

    private func setTimer(at time: MonotonicTime) {
        hasTimer = true
        let connection = connection
        connection.loop.execute {
            connection.loop.schedule(at: time) {
                let fragment = connection.partialPacket.map(Self.words)
                Task { await self.timePassed(fragment) }
            }
        }
    }

    private func timePassed(_ fragment: String?) {
        hasTimer = false
        guard !isOver, let deadline, let exchange else { return }
        guard MonotonicTime.now >= deadline else { return setTimer(at: deadline) }
        finish(.failure(call.timeoutFailure(of: exchange.request, fragment: fragment, mayExpectOther: isLast)))
    }

    /// Returns the progress of a packet, such as `10 of 11 bytes`.
    private static func words(_ partial: (receivedByteCount: Int, byteCount: Int?)) -> String {
        let count = partial.byteCount ?? partial.receivedByteCount
        return (partial.byteCount == nil ? "" : "\(partial.receivedByteCount) of ")
            + (count == 1 ? "1 byte" : "\(count) bytes")
    }
}
