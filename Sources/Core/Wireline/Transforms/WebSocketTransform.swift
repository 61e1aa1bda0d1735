// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

/// A WebSocket between a connection's packets and its socket. Only the loop's thread uses it.
///
/// The stream's bytes are the contents of its binary messages, one after another, wherever a message ends. The
/// connection has the timeouts of the handshake and of closing. Of the input, the transform holds only the handshake's
/// head and one control frame.
final class WebSocketTransform: ConnectionTransform {
    /// Decides on a client's request, on the connection's loop.
    typealias Decision = @Sendable (WebSocketUpgradeRequest) -> WebSocketAnswer

    private let role: WebSocketRole
    private var handshake: WebSocketHandshake
    /// Nil after the client's request, and on the client.
    private var decide: Decision?
    private var engine: WebSocketEngine?
    /// The handshake's output, from `outputStart` on.
    private var output: [UInt8] = []
    private var outputStart = 0
    private let messageByteCount: Int

    var onReady: (() -> Void)?
    var closeCode = WebSocketCloseCode.normal
    private(set) var connectionFailure: ConnectionError?
    /// The result of the handshake; nil before its end.
    private(set) var agreement: WebSocketAgreement?
    /// The client's request; nil before it arrives, and on the client.
    private(set) var request: WebSocketUpgradeRequest?

    init(_ request: WebSocketRequest, messageByteCount: Int) throws(WebSocketError) {
        role = .client
        handshake = WebSocketHandshake(try WebSocketClientHandshake(request))
        output = handshake.takeOutput()
        self.messageByteCount = max(1, messageByteCount)
    }

    init(_ handshake: WebSocketServerHandshake, messageByteCount: Int, decide: @escaping Decision) {
        role = .server
        self.handshake = WebSocketHandshake(handshake)
        self.decide = decide
        self.messageByteCount = max(1, messageByteCount)
    }

    var isReady: Bool { agreement != nil }

    var hasOutput: Bool { outputStart < output.count || (engine?.pendingByteCount ?? 0) > 0 }

    var heldOutputByteCount: Int { output.capacity + (engine?.outputCapacity ?? 0) }

    var owesEnd: Bool { false }

    /// Always false, because the peer still answers a close frame.
    ///
    /// Many peers take the end of the socket's output for the end of the connection.
    var endsSocketOutput: Bool { false }

    var isCut: Bool {
        guard case .webSocketEnded(let end) = connectionFailure else { return false }
        return end.cause == .cut
    }

    func start() {}

    /// The server's refusal, if its whole head has arrived but not its whole body.
    var refusal: ConnectionError? { handshake.refusal }

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

    /// - Returns: The number of bytes taken from the peer's handshake.
    private func shakeHands(_ bytes: RawSpan) throws(WebSocketError) -> Int {
        defer { output += handshake.takeOutput() }
        let reading = try handshake.receive(bytes)
        switch reading.event {
        case .needsBytes: break
        case .request(let request):
            self.request = request
            try answer(request)
        case .complete(let agreement): begin(agreement)
        case .page: throw .requestRefused(status: 200)
        case .pageRequest:
            // No task could make the page.
            handshake.answer(with: WebSocketPage("a server of packets has only fixed pages\n", status: 500))
            throw .requestRefused(status: 500)
        }
        return reading.byteCount
    }

    private func answer(_ request: WebSocketUpgradeRequest) throws(WebSocketError) {
        guard let decide = decide.take() else { preconditionFailure("a client got a request") }
        let answer = decide(request)
        let agreement = try handshake.answer(answer)
        if case .refuse(let status, _, _) = answer { throw .requestRefused(status: status) }
        if let agreement { begin(agreement) }
    }

    private func begin(_ agreement: WebSocketAgreement) {
        var configuration = WebSocketEngine.Configuration()
        // Messages are not collected here: they are passed on as they arrive, whatever their length.
        (configuration.frameLimit, configuration.messageLimit, configuration.fragmentLimit) = (.max, .max, .max)
        configuration.takesText = false
        configuration.answersCloseLate = true
        engine = WebSocketEngine(role, agreement: agreement, configuration: configuration)
        self.agreement = agreement
    }

    // MARK: Reading

    func receive(_ bytes: RawSpan, into room: UnsafeMutableRawBufferPointer) -> TransformReading {
        // SAFETY: the callee uses the room only while it is lent.
        guard engine == nil else { return unsafe read(bytes, room) }
        do throws(TransformFailure) {
            let count = try attempt { () throws(WebSocketError) in try shakeHands(bytes) }
            // The next call handles the first frames: the handshake gets no room for them.
            let stop: TransformReading.Stop = count < bytes.byteCount ? .needsRoom : .needsBytes
            return TransformReading(takenByteCount: count, filledByteCount: 0, stop: stop)
        } catch {
            return TransformReading(takenByteCount: bytes.byteCount, filledByteCount: 0, stop: .failed)
        }
    }

    private func read(_ bytes: RawSpan, _ room: UnsafeMutableRawBufferPointer) -> TransformReading {
        var (takenByteCount, filledByteCount) = (0, 0)
        while true {
            // SAFETY: `filledByteCount` is at most the room's count, because `readOnce` adds at most the free bytes.
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
        // SAFETY: the span was made of the same memory.
        filledByteCount += unsafe content.finalize(for: room)
        return result
    }

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
        try attempt { () throws(WebSocketError) in try handshake.endOfInput() }
        engine?.endOfInput()
        if let end = engine?.end, end.cause == .cut { throw fail(.webSocketEnded(end)) }
    }

    // MARK: Writing

    func send(_ bytes: RawSpan) throws(TransformFailure) -> Int {
        let message = bytes.extracting(first: messageByteCount)
        let isTaken = try attempt { () throws(WebSocketError) in try engine?.send(message, as: .binary) ?? false }
        return isTaken ? message.byteCount : 0
    }

    func sendShared(_ bytes: RawSpan, _ frames: SharedFrames) -> Bool {
        guard bytes.byteCount <= messageByteCount, let form = engine?.sharedForm(ofMessageWith: bytes.byteCount),
            let frame = try? frames.frame(of: bytes, in: form)
        else { return false }
        return engine?.sendShared(frame) == true
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
        // SAFETY: `lent` is a copy of the array, so its bytes stay while `body` runs, and bytes have no padding.
        let bytes = unsafe lent.span.bytes
        outputStart += body(bytes.extracting(droppingFirst: outputStart))
        if outputStart == output.count { (output, outputStart) = ([], 0) }
    }
}
