// SPDX-License-Identifier: Apache-2.0

/// Asks DNS servers of one's own choice, whatever the system is configured for.
///
/// It runs on an event loop and blocks no thread. (The C library's resolver blocks, takes IPv6 servers only through
/// fields that are not for users, and is not there with musl.) Servers are asked in their order, over UDP, and over TCP
/// where an answer does not fit a datagram: one that cannot answer makes room for the next at once, one that is silent
/// after ``timeout``. That a name does not exist is an answer.
///
/// What a DNS server says can be forged by whoever stands between: TLS finds that out, nothing else does.
///
/// It looks names up as they are: no hosts file, no search list, and names in other scripts in Punycode. `localhost` is
/// this machine (RFC 6761 §6.3). It remembers nothing: put a ``CachingResolver`` in front.
///
/// In networks that have IPv6 alone (NAT64, RFC 6146) hosts without IPv6 addresses are reached only by those that the
/// network's own servers make up for them (DNS64, RFC 6147), and not by what other servers say.
public struct DNSResolver: HostResolver {
    /// Who is asked; port 53 is the usual one.
    public let servers: [SocketAddress]
    /// How long each server may take for an answer, each time that it is asked.
    public let timeout: Duration
    /// How often the list of servers is gone through.
    public let rounds: Int
    /// The network interface over which they are asked; nil: the system chooses.
    public let interface: String?
    private let group: EventLoopGroup?

    /// - Parameters:
    ///   - servers: Who is asked, at least one.
    ///   - timeout: How long each may take (default 2 s).
    ///   - rounds: How often the list is gone through, at least once (default twice: datagrams get lost).
    ///   - interface: The network interface over which they are asked; nil: the system chooses.
    ///   - group: On whose loops; nil: `EventLoopGroup.shared`.
    public init(
        servers: [SocketAddress], timeout: Duration = .seconds(2), rounds: Int = 2, interface: String? = nil,
        on group: EventLoopGroup? = nil
    ) {
        precondition(!servers.isEmpty && rounds > 0, "a resolver asks somebody, once at least")
        self.servers = servers
        self.timeout = timeout
        self.rounds = rounds
        self.interface = interface
        self.group = group
    }

    /// Asks the servers.
    ///
    /// - Throws: ``TransportError/unknownHost(_:reason:)`` when a server says so (NXDOMAIN), or where `host` is no name of
    ///   the DNS; ``TransportError/lookupFailed(_:reason:)`` with what each server did when none has an answer;
    ///   ``TransportError/cancelled``; ``TransportError/system(_:)``.
    public func addresses(
        of host: String, _ family: AddressFamily
    ) async throws(TransportError) -> ResolvedAddresses {
        guard let name = DNSName(host) else { throw .unknownHost(host, reason: "it is not a name of the DNS") }
        if name.isLocalHost { return try ResolvedAddresses(ipAddresses: [family == .ipv6 ? "::1" : "127.0.0.1"]) }
        let loop = try EventLoopGroup.sharedUnless(group).nextLoop()
        var failures: [String] = []
        for _ in 0..<rounds {
            failures = []
            for server in servers {
                switch try await ask(server, DNSQuestion(name, family), on: loop) {
                case .answer(let answer): return answer
                case .noSuchName: throw .unknownHost(host, reason: "\(server) says that there is no such name")
                case .failure(let reason): failures.append("\(server): \(reason)")
                }
            }
        }
        throw .lookupFailed(host, reason: failures.joined(separator: "; "))
    }

    private enum Outcome {
        case answer(ResolvedAddresses)
        case noSuchName
        case failure(String)
    }

    /// Asks one server.
    ///
    /// - Throws: ``TransportError/cancelled`` alone.
    private func ask(
        _ server: SocketAddress, _ question: DNSQuestion, on loop: EventLoop
    ) async throws(TransportError) -> Outcome {
        let deadline = MonotonicTime.now + timeout
        let origin = ConnectionOrigin(interface: interface)
        do throws(TransportError) {
            var reply = try await Attempt.run(on: loop, timeout: timeout) { attempt throws(TransportError) in
                try DNSDatagram(question, attempt).start(server, from: origin)
            }
            if reply == .truncated {
                reply = try await Attempt.run(on: loop, timeout: deadline.timeLeft) { attempt in
                    DNSStream.start(question, server, from: origin, attempt)
                }
            }
            return outcome(of: reply)
        } catch {
            switch error {
            case .cancelled: throw error
            case .timedOut: return .failure("no answer within \(timeout)")
            default: return .failure("\(error)")
            }
        }
    }

    private func outcome(of reply: DNSReply) -> Outcome {
        switch reply {
        case .answer(let answer): .answer(answer)
        case .noSuchName: .noSuchName
        case .failed(let code): .failure(DNSReply.meaning(ofCode: code))
        case .notLookedUp: .failure("it looks up no names for others")
        case .truncated: .failure("it cuts its answer off over TCP too")
        case .unusable(.tooManyAliases): .failure("the name stands for another one in a circle, or too often")
        case .unusable: .failure("what it sends is no answer")
        }
    }
}
