// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Connects to a host over TCP, as a ``ConnectionRace`` decides, or to a Unix domain socket. TLS follows only on the
/// winner.
///
/// Only the loop's thread uses this, except for ``connect(to:port:on:_:_:)``, so `@unchecked Sendable` needs no lock.
final class Dialer: @unchecked Sendable {
    private typealias Race = ConnectionRace<SocketAddress, TransportError>

    private struct Running {
        let address: SocketAddress
        var attempt: ConnectAttempt?
        var stream: ByteStream?
    }

    private let host: String
    private let port: UInt16
    private let resolver: any HostResolver
    private let origin: ConnectionOrigin
    private let keepAliveTime: Duration?
    private let recorder: TimelineRecorder
    private let outcome: Attempt<ByteStream>
    private let start: MonotonicTime
    private var race: Race
    private var attempts: [Int: Running] = [:]
    private var lookups: [Task<Void, Never>] = []
    private var timer: EventLoop.Timer?
    /// Unhandled events: a socket may fail while it is being asked to connect.
    private var events: [(event: Race.Event, time: MonotonicTime)] = []
    private var isHandling = false
    private var isOver = false

    /// - Parameters:
    ///   - host: A name, or the text of an IP address.
    ///   - loop: The loop of the stream.
    /// - Returns: A stream that is not started yet.
    static func connect(
        to host: String, port: UInt16, on loop: EventLoop, _ options: DialingOptions,
        _ recorder: TimelineRecorder
    ) async throws(TransportError) -> ByteStream {
        let unixAddress = try options.unixPath.map { path throws(TransportError) in try SocketAddress(unixPath: path) }
        return try await Attempt.run(on: loop, timeout: nil) { outcome in
            let dialer = Dialer(to: host, port: port, options, recorder, outcome)
            if let unixAddress { dialer.begin(with: unixAddress) } else { dialer.begin() }
        }
    }

    private init(
        to host: String, port: UInt16, _ options: DialingOptions, _ recorder: TimelineRecorder,
        _ outcome: Attempt<ByteStream>
    ) {
        self.host = host
        self.port = port
        self.recorder = recorder
        self.outcome = outcome
        start = outcome.loop.now
        resolver = options.resolver
        keepAliveTime = options.keepAliveTime
        origin = ConnectionOrigin(interface: options.interface, address: options.localAddress)
        race = Race(
            RacePolicy(attemptDelay: options.attemptDelay, deadline: options.connectTimeout),
            lookups: [.ipv6, .ipv4], timeout: .timedOut)
    }

    private func begin() {
        outcome.cleanUp = { self.stop() }
        let address = try? SocketAddress(ipAddress: host, port: port)
        for family in AddressFamily.allCases {
            if let address {
                handle(.found(Race.Family(family), address.addressFamily == family ? [address] : []))
            } else if let local = origin.address, local.addressFamily != family {
                // From the local address, no address of this family can be reached.
                handle(.found(Race.Family(family), []))
            } else {
                lookUp(family)
            }
        }
        handleEvents()
    }

    /// Connects to a Unix domain socket, without a lookup.
    private func begin(with unixAddress: SocketAddress) {
        outcome.cleanUp = { self.stop() }
        handle(.found(.ipv6, []))
        handle(.found(.ipv4, [unixAddress]))
        handleEvents()
    }

    private func stop() {
        isOver = true
        for running in attempts.values { running.attempt?.cancel() }
        for lookup in lookups { lookup.cancel() }
        (attempts, lookups, events) = ([:], [], [])
        outcome.loop.cancel(&timer)
    }

    // MARK: Lookups

    private func lookUp(_ family: AddressFamily) {
        recorder.note(.lookupBegan(family))
        if resolver is SystemResolver, let network = outcome.loop.memoryNetwork {
            return lookedUp(
                family,
                network.addresses(of: host).map { .success(ResolvedAddresses($0)) }
                    ?? .failure(.unknownHost(host, reason: "the network in memory has no such name")))
        }
        // No task awaits it: it calls the loop when it is done. A resolver that ignores cancellation delays no caller.
        lookups.append(
            Task { [resolver, host] in
                do throws(TransportError) {
                    let answer = try await resolver.addresses(of: host, family)
                    outcome.loop.execute { self.lookedUp(family, .success(answer)) }
                } catch {
                    outcome.loop.execute { self.lookedUp(family, .failure(error)) }
                }
            })
    }

    private func lookedUp(_ family: AddressFamily, _ result: Result<ResolvedAddresses, TransportError>) {
        guard !isOver else { return }
        switch result {
        case .success(let answer):
            let addresses = answer.addresses.filter { $0.addressFamily == family }.map { $0.withPort(port) }
            recorder.note(.lookupEnded(family, addresses))
            handle(.found(Race.Family(family), addresses))
        case .failure(let error):
            recorder.note(.lookupFailed(family, error))
            handle(.lookupFailed(Race.Family(family), error, DisconnectCause(error)))
        }
    }

    // MARK: Attempts

    private func begin(_ number: Int, _ address: SocketAddress) {
        recorder.note(.attemptBegan(address))
        let attempt = ConnectAttempt(to: address, from: origin, on: outcome.loop) { self.ended(number, $0) }
        attempts[number] = Running(address: address, attempt: attempt)
        attempt.start()
    }

    private func ended(_ number: Int, _ result: Result<ByteStream, TransportError>) {
        guard !isOver, let address = attempts[number]?.address else { return }
        attempts[number]?.attempt = nil
        switch result {
        case .success(let stream):
            attempts[number]?.stream = stream
            handle(.connected(attempt: number))
        case .failure(let error):
            recorder.note(.attemptFailed(address, error))
            handle(.attemptFailed(number, error, DisconnectCause(error)))
        }
    }

    private func abandon(_ number: Int) {
        guard let running = attempts.removeValue(forKey: number) else { return }
        running.attempt?.cancel()
        recorder.note(.attemptAbandoned(running.address))
    }

    // MARK: Decisions

    private func handle(_ event: Race.Event) {
        handle(event, at: outcome.loop.now)
    }

    private func handle(_ event: Race.Event, at time: MonotonicTime) {
        events.append((event, time))
        handleEvents()
    }

    private func handleEvents() {
        guard !isHandling else { return }
        isHandling = true
        while !events.isEmpty {
            var actions: [Race.Action] = []
            let (event, time) = events.removeFirst()
            race.handle(event, at: start.duration(to: time), into: &actions)
            for action in actions { perform(action) }
        }
        isHandling = false
        outcome.loop.cancel(&timer)
        guard !isOver, let deadline = race.deadline else { return }
        timer = outcome.loop.schedule(at: start + deadline) {
            self.timer = nil
            // An answer that arrived since this turn of the loop began is not handled yet.
            self.handle(.timerFired, at: self.outcome.loop.turnTime)
        }
    }

    private func perform(_ action: Race.Action) {
        switch action {
        case .begin(let number, let address): begin(number, address)
        case .abandon(let number): abandon(number)
        case .won(let number):
            guard let running = attempts[number], let stream = running.stream else { return }
            if let keepAliveTime { stream.keepAlive(after: keepAliveTime) }
            recorder.note(.connected(running.address))
            outcome.finish(.success(stream))
        case .lost(let failure):
            // No address can be reached from here: the addresses may belong to another network.
            if case .system = failure { resolver.expire(host) }
            outcome.finish(.failure(failure ?? .unknownHost(host, reason: "the name has no address")))
        }
    }
}

extension ConnectionRace.Family {
    fileprivate init(_ family: AddressFamily) {
        self = family == .ipv6 ? .ipv6 : .ipv4
    }
}
