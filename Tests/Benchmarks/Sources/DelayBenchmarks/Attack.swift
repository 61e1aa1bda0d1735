// SPDX-License-Identifier: Apache-2.0

internal import CNetwork
internal import Foundation

/// Clients that keep the server busy, on a thread of their own that lets the measuring one go first.
final class Attack: @unchecked Sendable {
    // The lock behind `@unchecked Sendable`.
    private let lock = NSLock()
    private var isStopped = false
    private var message: String?
    private let ended = DispatchGroup()

    /// What has gone wrong, if anything has.
    var failure: String? { lock.withLock { message } }
    private var goesOn: Bool { lock.withLock { !isStopped } }

    func stop() {
        lock.withLock { isStopped = true }
        ended.wait()
    }

    private func fail(_ text: String) { lock.withLock { message = message ?? text } }

    private func run(_ body: @escaping @Sendable () -> Void) {
        ended.enter()
        Thread.detachNewThread {
            setpriority(__priority_which_t(0), 0, 19)
            body()
            self.ended.leave()
        }
    }

    // MARK: Bytes without end

    private struct Client {
        let number: Int32
        var offset = 0
        /// How much of the server's head has come; nil after it.
        var head: [UInt8]?
    }

    /// Clients that send the same bytes again and again, and read what comes back.
    ///
    /// - Parameters:
    ///   - request: What they ask for first.
    ///   - mayBeEnded: Whether the server may end their connections: long messages of many clients need more memory than a
    ///     server gives to all of them. Whoever is ended connects again.
    static func flood(
        _ port: UInt16, _ count: Int, _ bytes: [UInt8], afterHandshake request: [UInt8]?, mayBeEnded: Bool = false
    ) -> Attack {
        let attack = Attack()
        attack.run {
            do {
                try attack.flood(port, count, bytes, request, mayBeEnded)
            } catch {
                attack.fail("\(error)")
            }
        }
        return attack
    }

    private func flood(
        _ port: UInt16, _ count: Int, _ bytes: [UInt8], _ request: [UInt8]?, _ mayBeEnded: Bool
    ) throws {
        var clients: [Client] = []
        defer { for client in clients { close(client.number) } }
        for _ in 0..<count { clients.append(try connect(port, request)) }
        var room = [UInt8](repeating: 0, count: 256 << 10)
        while goesOn {
            var entries = clients.map { client in
                pollfd(
                    fd: client.number, events: Int16(client.head == nil ? POLLIN | POLLOUT : POLLIN), revents: 0)
            }
            poll(&entries, nfds_t(entries.count), 100)
            for (index, entry) in entries.enumerated() {
                if Int32(entry.revents) & POLLIN != 0, try !receive(&clients[index], &room) {
                    guard mayBeEnded else { throw DelayFailure(description: "the server ends a connection") }
                    close(clients[index].number)
                    clients[index] = try connect(port, request)
                } else if Int32(entry.revents) & POLLOUT != 0, clients[index].head == nil {
                    sendMore(&clients[index], bytes)
                }
            }
        }
    }

    private func connect(_ port: UInt16, _ request: [UInt8]?) throws -> Client {
        let number = try RawConnection.connect(to: port)
        if let request { _ = send(number, request, request.count, 0) }
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        return Client(number: number, head: request == nil ? nil : [])
    }

    /// - Returns: False where the server has ended the connection.
    private func receive(_ client: inout Client, _ room: inout [UInt8]) throws -> Bool {
        let count = recv(client.number, &room, room.count, 0)
        guard count > 0 else { return count < 0 && errno == EAGAIN }
        guard var head = client.head else { return true }
        head += room[..<count]
        guard head.starts(with: Array("HTTP/1.1 101".utf8).prefix(head.count)) else {
            throw DelayFailure(description: "the server refuses a WebSocket")
        }
        let isWhole = head.count >= 4 && head.suffix(4).elementsEqual([13, 10, 13, 10])
        client.head = isWhole ? nil : head
        return true
    }

    private func sendMore(_ client: inout Client, _ bytes: [UInt8]) {
        let sent = bytes.withUnsafeBytes {
            send(
                client.number, $0.baseAddress! + client.offset, bytes.count - client.offset,
                Int32(MSG_NOSIGNAL))
        }
        if sent > 0 { client.offset = (client.offset + sent) % bytes.count }
    }

    // MARK: Handshakes

    /// Clients that connect, shake hands and begin anew.
    static func handshakes(_ port: UInt16, _ count: Int) -> Attack {
        let attack = Attack()
        // Each thread has 16 clients at a time.
        for _ in 0..<max(1, count / 16) {
            attack.run {
                var server = network_server()
                (server.pid, server.port, server.uses_tls) = (getpid(), port, true)
                while attack.goesOn {
                    let figures = network_handshakes(&server, false, 0.2)
                    guard figures.failure.text.0 == 0 else {
                        let text = withUnsafeBytes(of: figures.failure.text) {
                            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                        }
                        return attack.fail(text)
                    }
                }
            }
        }
        return attack
    }
}
