// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineTLS

/// One end of a connection in memory: an engine and its results.
final class Side {
    let engine: TLSEngine
    private(set) var received: [UInt8] = []
    private(set) var hasEnded = false
    /// How many bytes of plaintext are read at once.
    var room = 20_000

    init(_ engine: TLSEngine) {
        self.engine = engine
    }

    /// All output that waits to be sent.
    func output() -> [UInt8] {
        var bytes: [UInt8] = []
        engine.takeCiphertext { waiting in
            bytes += [UInt8](copying: waiting)
            return waiting.byteCount
        }
        return bytes
    }

    /// Gives ciphertext to the engine until it has taken everything or the peer has ended.
    ///
    /// - Returns: What the engine had to send before it could continue.
    @discardableResult
    func receive(_ ciphertext: [UInt8]) throws(TLSError) -> [UInt8] {
        var rest = ciphertext[...]
        var sent: [UInt8] = []
        while true {
            let reading = try readOnce(Array(rest))
            rest = rest.dropFirst(reading.byteCount)
            switch reading.stop {
            case .needsCiphertext: return sent
            case .needsRoom: continue
            case .needsDraining: sent += output()
            case .ended:
                hasEnded = true
                return sent
            }
        }
    }

    func readOnce(_ ciphertext: [UInt8]) throws(TLSError) -> TLSReading {
        var room = [UInt8](repeating: 0, count: room)
        var count = 0
        let result = room.withUnsafeMutableBytes { bytes in
            var plaintext = OutputRawSpan(buffer: bytes, initializedCount: 0)
            let span = ciphertext.span
            let result = Result { () throws(TLSError) in try engine.read(span.bytes, into: &plaintext) }
            count = plaintext.finalize(for: bytes)
            return result
        }
        received += room[..<count]
        return try result.get()
    }

    /// Writes as much as the engine takes.
    func write(_ plaintext: [UInt8]) throws(TLSError) -> Int {
        let span = plaintext.span
        let bytes = span.bytes
        return try engine.write(bytes)
    }
}

extension [UInt8] {
    init(copying bytes: RawSpan) {
        self = bytes.withUnsafeBytes { Array($0) }
    }
}

/// Two engines that are connected to each other.
struct Pair {
    let client: Side
    let server: Side

    init(_ client: TLSContext, _ server: TLSContext, serverName: String = "server.test") throws {
        self.client = Side(try client.connect(to: serverName))
        self.server = Side(try server.accept())
    }

    init(_ client: TLSConfiguration, _ server: TLSConfiguration, serverName: String = "server.test") throws {
        try self.init(TLSContext(client), TLSContext(server), serverName: serverName)
    }

    /// Carries bytes back and forth until neither side has any, split as `cut` says.
    ///
    /// - Throws: The error of the side that fails first, after the other side has got the alert.
    func exchange(_ cut: ([UInt8]) -> [[UInt8]] = { [$0] }) throws(TLSError) {
        try client.engine.start()
        while true {
            let fromClient = client.output()
            try deliver(cut(fromClient), to: server, answeringTo: client)
            let fromServer = server.output()
            try deliver(cut(fromServer), to: client, answeringTo: server)
            if fromClient.isEmpty, fromServer.isEmpty { return }
        }
    }

    /// Writes everything and carries it over, unless the side takes no more.
    func send(_ plaintext: [UInt8], from side: Side, _ cut: ([UInt8]) -> [[UInt8]] = { [$0] }) throws(TLSError) {
        var rest = plaintext[...]
        while !rest.isEmpty {
            let taken = try side.write(Array(rest))
            guard taken > 0 else { return }
            rest = rest.dropFirst(taken)
            try exchange(cut)
        }
    }

    private func deliver(_ pieces: [[UInt8]], to side: Side, answeringTo other: Side) throws(TLSError) {
        for piece in pieces where !piece.isEmpty {
            do throws(TLSError) {
                let sent = try side.receive(piece)
                if !sent.isEmpty { try other.receive(sent) }
            } catch {
                // The alert, if there is one; the other side's engine has the result.
                let alert = side.output()
                if !alert.isEmpty { _ = try? other.receive(alert) }
                throw error
            }
        }
    }
}
