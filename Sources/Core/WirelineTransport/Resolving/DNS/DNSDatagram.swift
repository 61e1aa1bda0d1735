// SPDX-License-Identifier: Apache-2.0

/// A question to a DNS server over UDP; use it only on the loop's own thread.
///
/// To forge an answer, an attacker must guess the question's number and source port, both random for each question (RFC
/// 5452 §9.2). The socket is connected, so the system delivers only datagrams from the server's own address and port.
final class DNSDatagram: PollTarget {
    /// More than a server sends by default (512 bytes, RFC 1035 §4.2.1).
    private static let capacity = 4096
    /// After this many wrong answers an attacker may be guessing, and the question goes over TCP (RFC 5452 §9.2).
    private static let wrongAnswerLimit = 16

    private let question: DNSQuestion
    private let number = UInt16.random(in: .min ... .max)
    private let attempt: Attempt<DNSReply>
    private var wrongAnswerCount = 0
    private var descriptor: Descriptor?
    private var isWatched = false

    init(_ question: DNSQuestion, _ attempt: Attempt<DNSReply>) {
        self.question = question
        self.attempt = attempt
    }

    func start(_ server: SocketAddress, from origin: ConnectionOrigin) throws(TransportError) {
        attempt.cleanUp = cleanUp
        let descriptor = try SystemCall.makeSocket(for: server, .datagram)
        let socket = descriptor.number
        self.descriptor = consume descriptor
        try SystemCall.bind(socket, to: origin, for: server)
        try SystemCall.bindToRandomPort(socket, server.addressFamily)
        _ = try SystemCall.connect(socket, to: server)
        try attempt.loop.watch(self, socket)
        isWatched = true
        let query = question.query(number: number)
        // SAFETY: the memory is the array's for as long as the call lasts.
        let result = unsafe query.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return TransferResult.wouldBlock }
            return unsafe SystemCall.send(socket, base, byteCount: bytes.count)
        }
        switch result {
        case .bytes: break
        // As if the datagram had been lost.
        case .wouldBlock: break
        case .failed(let error): throw .system(error)
        }
    }

    override func becameReady(_ readiness: Poller.Readiness) {
        guard readiness.contains(.readable) else { return }
        while isWatched, let number = descriptor?.number {
            var bytes: [UInt8] = []
            var result = TransferResult.wouldBlock
            bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.capacity) { room, count in
                guard let base = room.baseAddress else { return }
                // SAFETY: the array has the requested capacity, and `count` says how much of it is filled.
                result = unsafe SystemCall.receive(number, into: base, capacity: room.count)
                if case .bytes(let byteCount) = result { count = byteCount }
            }
            switch result {
            case .bytes: received(bytes)
            case .wouldBlock: return
            case .failed(let error):
                attempt.finish(.failure(error.isRefusal ? .refused : .system(error)))
            }
        }
    }

    private func received(_ bytes: [UInt8]) {
        do throws(DNSError) {
            attempt.finish(.success(try question.reply(in: bytes, number: number)))
        } catch {
            // A circle of aliases is the server's own answer.
            guard error != .tooManyAliases else { return attempt.finish(.success(.unusable(error))) }
            // After any other error, the right answer may still arrive.
            wrongAnswerCount += 1
            if wrongAnswerCount == Self.wrongAnswerLimit { attempt.finish(.success(.truncated)) }
        }
    }

    private func cleanUp() {
        if isWatched, let number = descriptor?.number { attempt.loop.unwatch(self, number) }
        isWatched = false
        descriptor = nil
    }
}

extension SystemCall {
    fileprivate static func bindToRandomPort(
        _ descriptor: Int32, _ family: AddressFamily?
    ) throws(TransportError) {
        let bytes = [UInt8](repeating: 0, count: family == .ipv6 ? 16 : 4)
        for _ in 0..<16 {
            // Lower ports belong to the system's own services.
            let port = UInt16.random(in: 1024 ... .max)
            guard let address = SocketAddress(bytes: bytes, port: port) else { return }
            if (try? bind(descriptor, to: address)) != nil { return }
        }
        // If nearly all are taken, the system chooses a port when the socket connects, which is random too.
    }
}
