// SPDX-License-Identifier: Apache-2.0

import Foundation
import WirelineTLS

/// A ``Side`` that uses a blocking socket on loopback.
final class SocketSide {
    let side: Side
    private let descriptor: Int32

    var engine: TLSEngine { side.engine }

    init(_ engine: TLSEngine, connectingTo port: UInt16) throws {
        side = Side(engine)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(port)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try setUp(status)
    }

    init(_ engine: TLSEngine, accepting listener: LoopbackListener) throws {
        side = Side(engine)
        descriptor = accept(listener.descriptor, nil, nil)
        try setUp(descriptor < 0 ? -1 : 0)
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    private func setUp(_ status: Int32) throws {
        guard status == 0 else { throw SocketFailure(code: errno) }
        // A peer that is silent for so long will stay silent.
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Carries bytes until a condition is true or the peer has ended.
    ///
    /// - Throws: ``TLSError``, after the alert has been sent; ``SocketFailure``.
    func run(until isDone: () -> Bool) throws {
        try engine.start()
        try flush()
        while !isDone(), !side.hasEnded { try receiveOnce() }
    }

    /// Gives the next bytes to the engine, whatever they are.
    func receiveOnce() throws {
        let bytes = try receive()
        do {
            guard !bytes.isEmpty else { return try engine.endOfInput() }
            try send(side.receive(bytes))
        } catch {
            // The peer may be gone already; the error says more.
            try? flush()
            throw error
        }
        try flush()
    }

    func shakeHands() throws {
        try run { engine.isHandshakeComplete }
    }

    /// Writes everything, after the handshake; bytes that arrive meanwhile wait in the system.
    func write(_ plaintext: [UInt8]) throws {
        try shakeHands()
        var rest = plaintext[...]
        while !rest.isEmpty {
            rest = rest.dropFirst(try side.write(Array(rest)))
            try flush()
        }
    }

    func end() throws {
        try engine.endOutput()
        try flush()
    }

    private func flush() throws {
        try send(side.output())
    }

    private func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw SocketFailure(code: errno) }
            rest = rest.dropFirst(count)
        }
    }

    private func receive() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32768)
        let count = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw SocketFailure(code: errno) }
        return Array(bytes[..<count])
    }

    fileprivate static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// A socket that listens at a free port of 127.0.0.1.
final class LoopbackListener {
    fileprivate let descriptor: Int32
    let port: UInt16
    private var answered: [Int32] = []

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = SocketSide.loopback(0)
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, size) = (descriptor, byteCount)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) | listen(listener, 8) | getsockname(listener, $0, &byteCount)
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard status == 0 else { throw SocketFailure(code: errno) }
    }

    deinit {
        for peer in answered { close(peer) }
        close(descriptor)
    }

    /// Sends bytes to the next client, whatever it wants.
    func answerOnce(_ bytes: [UInt8]) throws {
        let peer = accept(descriptor, nil, nil)
        answered.append(peer)
        let count = bytes.withUnsafeBytes { send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count == bytes.count else { throw SocketFailure(code: errno) }
    }
}

struct SocketFailure: Error {
    let code: Int32
}
