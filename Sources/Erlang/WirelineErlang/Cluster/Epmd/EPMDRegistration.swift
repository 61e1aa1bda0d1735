// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Our name at epmd, as long as the node lives. If epmd restarts, this registers the name again.
///
/// Everything except ``begin(_:at:port:on:note:)`` happens on the loop, so `@unchecked Sendable` needs no lock.
final class EPMDRegistration: @unchecked Sendable {
    /// The time between attempts after epmd has ended, as in OTP.
    private static let retryDelay = Duration.seconds(2)

    private enum State {
        case registered(EPMDConnection)
        case waiting(EventLoop.Timer)
        /// No task awaits it: it reports to the loop, and ``end()`` cancels it.
        case registering(Task<Void, Never>)
        case ended
    }

    private let name: String
    private let address: SocketAddress
    private let port: UInt16
    private let loop: EventLoop
    private let note: @Sendable (ErlangNodeNote) -> Void
    private var state = State.ended
    /// Whether ``ErlangNodeNote/epmdNameTaken(_:)`` was noted since the last success.
    private var isTakenNoted = false

    private init(
        _ name: String, at address: SocketAddress, port: UInt16, on loop: EventLoop,
        note: @escaping @Sendable (ErlangNodeNote) -> Void
    ) {
        self.name = name
        self.address = address
        self.port = port
        self.loop = loop
        self.note = note
    }

    /// Registers a name.
    ///
    /// - Parameters:
    ///   - name: The part of the node's name before the `@`.
    ///   - address: The address of epmd.
    ///   - port: The port at which nodes connect to us.
    ///   - note: Called on the loop when epmd is lost, and when it is found again.
    /// - Returns: The registration, and the creation that epmd has given us.
    /// - Throws: ``ErlangNodeError/nodeNameTaken(_:)``; any error that kept us from asking.
    static func begin(
        _ name: String, at address: SocketAddress, port: UInt16, on loop: EventLoop,
        note: @escaping @Sendable (ErlangNodeNote) -> Void
    ) async throws(ErlangNodeError) -> (EPMDRegistration, creation: UInt32) {
        let registration = EPMDRegistration(name, at: address, port: port, on: loop, note: note)
        let (connection, creation) = try await registration.register()
        await loop.run { registration.became(connection) }
        return (registration, creation)
    }

    private func register() async throws(ErlangNodeError) -> (EPMDConnection, creation: UInt32) {
        let (answer, connection) = try await EPMDConnection.ask(
            .register(name: name, port: port), at: address, on: loop,
            registrationEnded: { [weak self] in self?.lost() })
        guard case .registered(let creation) = answer else { throw .nodeNameTaken(name) }
        return (connection, creation)
    }

    private func became(_ connection: EPMDConnection) {
        // epmd may have ended in the meantime.
        if connection.isOpen { state = .registered(connection) } else { wait() }
    }

    /// Frees the name. May be called on any thread.
    func end() {
        loop.execute {
            switch self.state {
            case .registered(let connection): connection.end()
            case .waiting(let timer): self.loop.cancel(timer)
            case .registering(let task): task.cancel()
            case .ended: break
            }
            self.state = .ended
        }
    }

    private func lost() {
        guard case .registered = state else { return }
        note(.epmdLost)
        wait()
    }

    private func wait() {
        state = .waiting(loop.schedule(at: loop.now + Self.retryDelay) { self.tryAgain() })
    }

    private func tryAgain() {
        state = .registering(
            Task {
                let result = await Result.catching { () async throws(ErlangNodeError) in try await self.register() }
                self.loop.execute { self.triedAgain(result) }
            })
    }

    private func triedAgain(_ result: Result<(EPMDConnection, creation: UInt32), ErlangNodeError>) {
        guard case .registering = state else {
            if case .success(let (connection, _)) = result { connection.end() }
            return
        }
        switch result {
        // Our PIDs keep their creation: it stands for the node's life, not for epmd's.
        case .success(let (connection, _)):
            isTakenNoted = false
            became(connection)
            note(.epmdFound)
        case .failure(let error):
            if case .nodeNameTaken(let name) = error, !isTakenNoted {
                isTakenNoted = true
                note(.epmdNameTaken(name))
            }
            wait()
        }
    }
}

extension Result where Success: Sendable {
    fileprivate static func catching(
        _ body: () async throws(Failure) -> Success
    ) async -> Self {
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
    }
}
