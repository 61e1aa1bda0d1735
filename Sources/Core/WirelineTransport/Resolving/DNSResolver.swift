// SPDX-License-Identifier: Apache-2.0

/// A resolver that asks the given DNS servers, whatever the system's configuration.
///
/// It runs on an event loop and blocks no thread. (The C library's resolver blocks, takes IPv6 servers only through
/// private fields, and is missing in musl.)
///
/// It asks servers in order over UDP, and over TCP if an answer does not fit a datagram. If a server cannot answer, the
/// next one is asked at once; if it is silent, after ``timeout``. "No such name" is an answer.
///
/// An attacker on the path can forge DNS answers; only TLS detects that.
///
/// Names are looked up as they are: no hosts file, no search list; names in other scripts must be in Punycode.
/// `localhost` is this machine (RFC 6761 §6.3). Answers are not cached: wrap it in a ``CachingResolver``.
///
/// In networks with IPv6 only (NAT64, RFC 6146), the network's own servers make IPv6 addresses for hosts that have none
/// (DNS64, RFC 6147). Other servers do not, so their answers do not reach such hosts.
public struct DNSResolver: HostResolver {
    /// The servers to ask; the usual port is 53.
    public let servers: [SocketAddress]
    /// How long to wait for each answer of a server.
    public let timeout: Duration
    /// How many times the list of servers is tried.
    public let rounds: Int
    /// The network interface for the questions; nil: the system chooses.
    public let interface: String?
    private let group: EventLoopGroup?

    /// Makes a resolver.
    ///
    /// - Parameters:
    ///   - servers: The servers to ask, at least one.
    ///   - timeout: How long to wait for each answer (default 2 s).
    ///   - rounds: How many times the list is tried, at least once (default 2: datagrams get lost).
    ///   - interface: The network interface for the questions; nil: the system chooses.
    ///   - group: The loops to run on; nil: `EventLoopGroup.shared`.
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
    /// - Throws: ``TransportError/unknownHost(_:reason:)`` if a server says so (NXDOMAIN), or if `host` is not a DNS
    ///   name; ``TransportError/lookupFailed(_:reason:)`` with each server's failure if none has an answer;
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
    /// - Throws: Only ``TransportError/cancelled``.
    private func ask(
        _ server: SocketAddress, _ question: DNSQuestion, on loop: EventLoop
    ) async throws(TransportError) -> Outcome {
        let deadline = loop.clockTime + timeout
        let origin = ConnectionOrigin(interface: interface)
        do throws(TransportError) {
            var reply = try await Attempt.run(on: loop, timeout: timeout) { attempt throws(TransportError) in
                try DNSDatagram(question, attempt).start(server, from: origin)
            }
            if reply == .truncated {
                reply = try await Attempt.run(on: loop, timeout: loop.timeLeft(until: deadline)) { attempt in
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
