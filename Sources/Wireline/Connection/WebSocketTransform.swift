// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

/// A WebSocket between a connection's packets and its socket: the stream's bytes are what its binary messages say, one
/// after another, wherever one ends and the next begins. For the loop's own thread.
///
/// It waits for nothing by itself: the handshake's deadline, and that of the closing, are the connection's. Of what
/// arrives it holds the handshake's head and one control frame.
final class WebSocketTransform: ConnectionTransform {
    private enum Handshake {
        case client(WebSocketClientHandshake)
        case server(WebSocketServerHandshake, WebSocketServerOptions)
        case over
    }

    private var handshake: Handshake
    private var engine: WebSocketEngine?
    /// What the handshake has to send, from `outputStart` on.
    private var output: [UInt8] = []
    private var outputStart = 0
    private let messageByteCount: Int

    var onReady: (() -> Void)?
    /// What the peer is told when this side closes.
    var closeCode = WebSocketCloseCode.normal
    private(set) var connectionFailure: ConnectionError?
    /// What both sides have settled; nil before that.
    private(set) var agreement: WebSocketAgreement?
    /// What the client has asked for; nil before that, and on the client's side.
    private(set) var request: WebSocketUpgradeRequest?

    /// Asks a server for a WebSocket.
    init(_ options: WebSocketOptions, host: String, port: UInt16, isSecure: Bool) throws(WebSocketError) {
        let handshake = try WebSocketClientHandshake(options.request(host: host, port: port, isSecure: isSecure))
        output = handshake.request
        self.handshake = .client(handshake)
        messageByteCount = max(1, options.messageByteCount)
    }

    /// Waits for a client that asks for a WebSocket.
    init(_ options: WebSocketServerOptions) throws(WebSocketError) {
        handshake = .server(try WebSocketServerHandshake(options.policy), options)
        messageByteCount = max(1, options.messageByteCount)
    }

    var isReady: Bool { agreement != nil }

    var hasOutput: Bool { outputStart < output.count || (engine?.pendingByteCount ?? 0) > 0 }

    var owesEnd: Bool { false }

    /// Behind a close frame the peer still answers, and many take the end of a socket for the end of it all.
    var endsSocketOutput: Bool { false }

    var isCut: Bool {
        guard case .webSocketEnded(let end) = connectionFailure else { return false }
        return end.cause == .cut
    }

    func start() {}

    /// What the server has answered that refuses, where all of its head has come and not all of its body.
    var refusal: ConnectionError? {
        guard case .client(let handshake) = handshake else { return nil }
        return handshake.refusal.map { .webSocket(.refused($0)) }
    }

    private func fail(_ error: ConnectionError) -> TransformFailure {
        if connectionFailure == nil { connectionFailure = error }
        return TransformFailure()
    }

    private func attempt<Value>(_ body: () throws(WebSocketError) -> Value) throws(TransformFailure) -> Value {
        do throws(WebSocketError) {
            return try body()
        } catch {
            throw fail(.webSocket(error))
        }
    }

    // MARK: The handshake

    /// - Returns: How many bytes of the peer's half were taken.
    private func shakeHands(_ bytes: RawSpan) throws(WebSocketError) -> Int {
        switch handshake {
        case .client(var client):
            // Otherwise the bytes would be copied with each call.
            handshake = .over
            let count = try client.receive(bytes)
            if let agreement = client.agreement { begin(.client, agreement) } else { handshake = .client(client) }
            return count
        case .server(var server, let options):
            handshake = .over
            defer { output += server.takeOutput() }
            let count = try server.receive(bytes)
            if server.hasAnsweredWithPage { throw .requestRefused(status: 200) }
            guard let request = server.request else {
                handshake = .server(server, options)
                return count
            }
            self.request = request
            try answer(request, &server, options)
            return count
        case .over: return 0
        }
    }

    private func answer(
        _ request: WebSocketUpgradeRequest, _ handshake: inout WebSocketServerHandshake,
        _ options: WebSocketServerOptions
    ) throws(WebSocketError) {
        let answer = options.answer(to: request)
        do throws(WebSocketError) {
            try handshake.answer(answer)
        } catch {
            // The decision was none.
            try handshake.answer(.refuse(status: 500))
            throw error
        }
        if case .refuse(let status, _, _) = answer { throw .requestRefused(status: status) }
        if let agreement = handshake.agreement { begin(.server, agreement) }
    }

    private func begin(_ role: WebSocketRole, _ agreement: WebSocketAgreement) {
        var configuration = WebSocketConfiguration()
        // Nobody gathers messages here: however long they are, they are handed over as they come.
        (configuration.frameLimit, configuration.messageLimit, configuration.fragmentLimit) = (.max, .max, .max)
        configuration.takesText = false
        configuration.answersCloseLate = true
        engine = WebSocketEngine(role, agreement: agreement, configuration: configuration)
        self.agreement = agreement
    }

    // MARK: Reading

    func receive(_ bytes: RawSpan, into room: UnsafeMutableRawBufferPointer) -> TransformReading {
        guard engine == nil else { return unsafe read(bytes, room) }
        do throws(TransformFailure) {
            let count = try attempt { () throws(WebSocketError) in try shakeHands(bytes) }
            // The first frames are for the next call: there has been no room for them.
            let stop: TransformReading.Stop = count < bytes.byteCount ? .needsRoom : .needsBytes
            return TransformReading(takenByteCount: count, filledByteCount: 0, stop: stop)
        } catch {
            return TransformReading(takenByteCount: bytes.byteCount, filledByteCount: 0, stop: .failed)
        }
    }

    private func read(_ bytes: RawSpan, _ room: UnsafeMutableRawBufferPointer) -> TransformReading {
        var (takenByteCount, filledByteCount) = (0, 0)
        while true {
            let free = unsafe UnsafeMutableRawBufferPointer(rebasing: room[filledByteCount...])
            let rest = bytes.extracting(droppingFirst: takenByteCount)
            let result = unsafe readOnce(rest, free, &filledByteCount)
            var stop = TransformReading.Stop.failed
            if case .success(let reading) = result {
                takenByteCount += reading.byteCount
                switch reading.stop {
                case .event(.close(let close)): stop = ended(close)
                case .event: continue
                case .needsBytes: stop = .needsBytes
                case .needsRoom: stop = .needsRoom
                case .ended: stop = .ended
                }
            }
            return TransformReading(takenByteCount: takenByteCount, filledByteCount: filledByteCount, stop: stop)
        }
    }

    private func readOnce(
        _ bytes: RawSpan, _ room: UnsafeMutableRawBufferPointer, _ filledByteCount: inout Int
    ) -> Result<WebSocketReading, TransformFailure> {
        var content = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
        let result: Result<WebSocketReading, TransformFailure>
        do throws(WebSocketError) {
            guard let reading = try engine?.read(bytes, into: &content, at: .zero)
            else { preconditionFailure("there is no WebSocket yet") }
            result = .success(reading)
        } catch {
            result = .failure(fail(.webSocket(error)))
        }
        // SAFETY: it was made of the same memory.
        filledByteCount += unsafe content.finalize(for: room)
        return result
    }

    /// The peer has closed: in order, or because of something that went wrong.
    private func ended(_ close: WebSocketClose) -> TransformReading.Stop {
        switch close.code {
        case nil, .normal, .goingAway: return .ended
        default:
            try? endOutput()
            if let end = engine?.end { _ = fail(.webSocketEnded(end)) }
            return .failed
        }
    }

    func endOfInput() throws(TransformFailure) {
        switch handshake {
        case .client(var client): try attempt { () throws(WebSocketError) in try client.endOfInput() }
        case .server(var server, _): try attempt { () throws(WebSocketError) in try server.endOfInput() }
        case .over: break
        }
        engine?.endOfInput()
        if let end = engine?.end, end.cause == .cut { throw fail(.webSocketEnded(end)) }
    }

    // MARK: Writing

    func send(_ bytes: RawSpan) throws(TransformFailure) -> Int {
        let message = bytes.extracting(first: messageByteCount)
        let isTaken = try attempt { () throws(WebSocketError) in try engine?.send(message, as: .binary) ?? false }
        return isTaken ? message.byteCount : 0
    }

    func endOutput() throws(TransformFailure) {
        try attempt { () throws(WebSocketError) in try engine?.close(code: closeCode, at: .zero) }
    }

    func withOutput(_ body: (RawSpan) -> Int) {
        guard outputStart < output.count else {
            engine?.takeOutput(body)
            return
        }
        let lent = output
        let bytes = unsafe lent.span.bytes
        outputStart += body(bytes.extracting(droppingFirst: outputStart))
        if outputStart == output.count { (output, outputStart) = ([], 0) }
    }
}
