// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// Makes a TCP connection to a host, as a ``ConnectionRace`` decides; what follows, such as TLS, is for the winner alone.
///
/// Everything but ``connect(to:port:on:_:_:)`` is for the loop's own thread; that is also the lock behind
/// `@unchecked Sendable`.
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
    private let recorder: TimelineRecorder
    private let outcome: Attempt<ByteStream>
    private let start = MonotonicTime.now
    private var race: Race
    private var attempts: [Int: Running] = [:]
    private var lookups: [Task<Void, Never>] = []
    private var timer: EventLoop.Timer?
    /// What has happened and has not been dealt with, for a socket may fail while it is being asked to connect.
    private var events: [Race.Event] = []
    private var isDealing = false
    private var isOver = false

    /// Connects to a host.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address.
    ///   - loop: The loop that the stream will belong to.
    ///   - recorder: Takes note of what happens.
    /// - Returns: A stream that is not started yet.
    static func connect(
        to host: String, port: UInt16, on loop: EventLoop, _ configuration: ClientConfiguration,
        _ recorder: TimelineRecorder
    ) async throws(TransportError) -> ByteStream {
        try await Attempt.run(on: loop, timeout: nil) { outcome in
            Dialer(to: host, port: port, configuration, recorder, outcome).begin()
        }
    }

    private init(
        to host: String, port: UInt16, _ configuration: ClientConfiguration, _ recorder: TimelineRecorder,
        _ outcome: Attempt<ByteStream>
    ) {
        self.host = host
        self.port = port
        self.recorder = recorder
        self.outcome = outcome
        resolver = configuration.resolver
        origin = ConnectionOrigin(interface: configuration.interface, address: configuration.localAddress)
        race = Race(
            RacePolicy(attemptDelay: configuration.attemptDelay, deadline: configuration.connectTimeout),
            lookups: [.ipv6, .ipv4], timeout: .timedOut)
    }

    private func begin() {
        outcome.cleanUp = { self.stop() }
        let address = try? SocketAddress(ipAddress: host, port: port)
        for family in AddressFamily.allCases {
            if let address {
                deal(with: .found(Race.Family(family), address.addressFamily == family ? [address] : []))
            } else if let local = origin.address, local.addressFamily != family {
                // From there no address of this family can be reached.
                deal(with: .found(Race.Family(family), []))
            } else {
                lookUp(family)
            }
        }
        deal()
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
        // Nobody awaits it: it tells the loop when it is done, and a resolver that goes on although it is cancelled keeps
        // nobody waiting.
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
            deal(with: .found(Race.Family(family), addresses))
        case .failure(let error):
            recorder.note(.lookupFailed(family, error))
            deal(with: .lookupFailed(Race.Family(family), error, DisconnectCause(error)))
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
            deal(with: .connected(attempt: number))
        case .failure(let error):
            recorder.note(.attemptFailed(address, error))
            deal(with: .attemptFailed(number, error, DisconnectCause(error)))
        }
    }

    private func abandon(_ number: Int) {
        guard let running = attempts.removeValue(forKey: number) else { return }
        running.attempt?.cancel()
        recorder.note(.attemptAbandoned(running.address))
    }

    // MARK: Decisions

    private func deal(with event: Race.Event) {
        events.append(event)
        deal()
    }

    private func deal() {
        guard !isDealing else { return }
        isDealing = true
        while !events.isEmpty {
            var actions: [Race.Action] = []
            race.handle(events.removeFirst(), at: start.duration(to: .now), into: &actions)
            for action in actions { perform(action) }
        }
        isDealing = false
        outcome.loop.cancel(&timer)
        guard !isOver, let deadline = race.deadline else { return }
        timer = outcome.loop.schedule(at: start + deadline) {
            self.timer = nil
            self.deal(with: .timerFired)
        }
    }

    private func perform(_ action: Race.Action) {
        switch action {
        case .begin(let number, let address): begin(number, address)
        case .abandon(let number): abandon(number)
        case .won(let number):
            guard let running = attempts[number], let stream = running.stream else { return }
            recorder.note(.connected(running.address))
            outcome.finish(.success(stream))
        case .lost(let failure):
            // From here none of the addresses can be reached: they may be those of another network.
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
