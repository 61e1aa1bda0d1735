// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineTransport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A DNS server on loopback that follows a test's script, over UDP and TCP on one port. It ends with this object.
final class DNSServerStub: Sendable {
    /// The answer to a received query: any number of messages.
    typealias Script = @Sendable (_ query: [UInt8], _ isStream: Bool) -> [[UInt8]]

    /// An address that refuses every query while this process lives: a socket keeps the port from others, and accepts
    /// datagrams from itself only.
    static let nobody = Result { () throws(TransportError) -> SocketAddress in
        let number = makeSocket(datagram: true, port: 0)
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(number, $0, &byteCount) == 0 && connect(number, $0, byteCount) == 0
            }
        }
        guard isConnected else { throw .invalidAddress }
        return .loopback(port: UInt16(bigEndian: address.sin_port))
    }

    let address: SocketAddress
    /// The received queries, in order.
    let queries: AsyncStream<(bytes: [UInt8], port: UInt16, isStream: Bool)>
    private let feed: AsyncStream<(bytes: [UInt8], port: UInt16, isStream: Bool)>.Continuation
    private let datagrams: Int32
    private let listener: Int32

    init(_ script: @escaping Script) throws {
        (queries, feed) = AsyncStream.makeStream()
        var port: UInt16 = 0
        // UDP's port may be in use for TCP.
        (datagrams, listener) = try {
            for _ in 0..<100 {
                let udp = Self.makeSocket(datagram: true, port: 0)
                port = Self.port(of: udp)
                let tcp = Self.makeSocket(datagram: false, port: port)
                if tcp >= 0 { return (udp, tcp) }
                close(udp)
            }
            throw TransportError.invalidAddress
        }()
        address = .loopback(port: port)
        let (datagrams, listener, feed) = (datagrams, listener, feed)
        Thread.detachNewThread { Self.answerDatagrams(datagrams, script, feed) }
        Thread.detachNewThread { Self.answerStreams(listener, script, feed) }
    }

    deinit {
        // The threads end when their sockets do; closing alone would leave them waiting.
        shutdown(datagrams, Int32(SHUT_RDWR))
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private static func answerDatagrams(
        _ socket: Int32, _ script: Script,
        _ feed: AsyncStream<(bytes: [UInt8], port: UInt16, isStream: Bool)>.Continuation
    ) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var peer = sockaddr_in()
        while true {
            var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &peer) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(socket, &buffer, buffer.count, 0, $0, &byteCount)
                }
            }
            guard count > 0 else { break }
            let query = Array(buffer.prefix(count))
            feed.yield((query, UInt16(bigEndian: peer.sin_port), false))
            for message in script(query, false) {
                _ = withUnsafePointer(to: &peer) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        sendto(socket, message, message.count, 0, $0, byteCount)
                    }
                }
            }
        }
        close(socket)
    }

    /// Each message follows its length. If the script sends no message, the connection just ends.
    private static func answerStreams(
        _ listener: Int32, _ script: Script,
        _ feed: AsyncStream<(bytes: [UInt8], port: UInt16, isStream: Bool)>.Continuation
    ) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            let count = recv(connection, &buffer, buffer.count, 0)
            if count > 2 {
                let query = Array(buffer[2..<count])
                feed.yield((query, 0, true))
                for message in script(query, true) {
                    // In two pieces: the first one holds half of the length.
                    let bytes = DNSAnswer.bytes(UInt16(message.count)) + message
                    _ = send(connection, Array(bytes.prefix(1)), 1, Int32(MSG_NOSIGNAL))
                    let rest = Array(bytes.dropFirst())
                    _ = send(connection, rest, rest.count, Int32(MSG_NOSIGNAL))
                }
            }
            close(connection)
        }
        close(listener)
    }

    private static func makeSocket(datagram: Bool, port: UInt16) -> Int32 {
        let kind = datagram ? SOCK_DGRAM : SOCK_STREAM
        #if canImport(Glibc)
            let number = socket(AF_INET, Int32(kind.rawValue), 0)
        #else
            let number = socket(AF_INET, kind, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, datagram || listen(number, 16) == 0 else {
            close(number)
            return -1
        }
        return number
    }

    private static func port(of socket: Int32) -> UInt16 {
        var address = sockaddr_in()
        var byteCount = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &byteCount) }
        }
        return UInt16(bigEndian: address.sin_port)
    }
}

extension DNSAnswer {
    /// The answer to a query, with the query's number and question.
    func answering(_ query: [UInt8]) -> [UInt8] {
        var answer = self
        answer.number = UInt16(query[0]) << 8 | UInt16(query[1])
        answer.type = UInt16(query[query.count - 4]) << 8 | UInt16(query[query.count - 3])
        return answer.bytes
    }
}
