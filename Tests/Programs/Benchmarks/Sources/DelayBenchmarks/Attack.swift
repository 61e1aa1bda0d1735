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
    ///   - torn: After how many of the bytes they send single ones; nil: never.
    static func flood(
        _ port: UInt16, _ count: Int, _ bytes: [UInt8], afterHandshake request: [UInt8]?, mayBeEnded: Bool = false,
        torn: Int? = nil
    ) -> Attack {
        let attack = Attack()
        attack.run {
            do {
                try attack.flood(port, count, bytes, request, mayBeEnded, torn)
            } catch {
                attack.fail("\(error)")
            }
        }
        return attack
    }

    private func flood(
        _ port: UInt16, _ count: Int, _ bytes: [UInt8], _ request: [UInt8]?, _ mayBeEnded: Bool, _ torn: Int?
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
                    sendMore(&clients[index], bytes, torn: torn)
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

    private func sendMore(_ client: inout Client, _ bytes: [UInt8], torn: Int?) {
        let torn = torn ?? bytes.count
        let most = client.offset < torn ? torn - client.offset : 1
        let sent = bytes.withUnsafeBytes {
            send(client.number, $0.baseAddress! + client.offset, most, Int32(MSG_NOSIGNAL))
        }
        if sent > 0 { client.offset = (client.offset + sent) % bytes.count }
    }

    // MARK: Crowds

    /// Clients that only read, and one that asks for the same again and again, as soon as it gets an answer.
    ///
    /// - Parameter other: Where it asks, on a new connection each time; nil: on one of the clients' port.
    static func crowd(_ port: UInt16, _ count: Int, asking request: [UInt8], at other: UInt16? = nil) -> Attack {
        let attack = Attack()
        attack.run {
            do {
                var clients: [Client] = []
                defer { for client in clients { close(client.number) } }
                for _ in 0..<count { clients.append(try attack.connect(port, nil)) }
                var asking = try other == nil ? RawConnection.connect(to: port) : -1
                var room = [UInt8](repeating: 0, count: 256 << 10)
                while attack.goesOn {
                    if let other { asking = try RawConnection.connect(to: other) }
                    _ = send(asking, request, request.count, Int32(MSG_NOSIGNAL))
                    repeat {
                        for index in clients.indices { _ = recv(clients[index].number, &room, room.count, 0) }
                    } while recv(asking, &room, room.count, 0) > 0 && other != nil
                    if other != nil { close(asking) }
                }
                if other == nil { close(asking) }
            } catch {
                attack.fail("\(error)")
            }
        }
        return attack
    }

    /// Clients that connect and say nothing.
    static func silence(_ port: UInt16, _ count: Int) -> Attack {
        let attack = Attack()
        attack.run {
            do {
                var numbers: [Int32] = []
                defer { for number in numbers { close(number) } }
                for _ in 0..<count { numbers.append(try RawConnection.connect(to: port)) }
                while attack.goesOn { usleep(10_000) }
            } catch {
                attack.fail("\(error)")
            }
        }
        return attack
    }

    /// Connections that come without a pause, of which the server takes one.
    static func refusals(_ port: UInt16, _ count: Int) -> Attack {
        let attack = Attack()
        attack.run {
            do {
                let first = try RawConnection.connect(to: port)
                defer { close(first) }
                while attack.goesOn {
                    var numbers: [Int32] = []
                    defer { for number in numbers { close(number) } }
                    for _ in 0..<count { numbers.append(try RawConnection.connect(to: port)) }
                }
            } catch {
                attack.fail("\(error)")
            }
        }
        return attack
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
