// SPDX-License-Identifier: Apache-2.0

/// The handshake of the node that accepts a connection (version 6). ``OutgoingHandshake`` shows the messages.
package struct IncomingHandshake {
    package enum Event: Equatable, Sendable {
        /// A node wants to connect. Call ``answer(_:)``; ``HandshakeStatus/init(for:at:connected:connecting:)`` has the
        /// rules.
        case introduced(ErlangPeer)
        /// After ``HandshakeStatus/alive``: the old connection is dead. Close it once this one is up.
        case replaces
        /// Both nodes have proved the cookie. Packets follow.
        case connected(ErlangPeer)
    }

    private enum State {
        case awaitingName
        /// We wait for the caller's ``answer(_:)``.
        case introduced(ErlangPeer)
        case awaitingDecision(ErlangPeer)
        case awaitingReply(ErlangPeer)
        case connected
        case failed(ErlangError)
    }

    private let ourselves: ErlangPeer
    private let cookie: ErlangCookie
    private let challenge: UInt32
    private var state = State.awaitingName
    private var stream = HandshakeStream()

    /// - Parameters:
    ///   - ourselves: Our name, flags and creation; the creation must not be 0.
    ///   - cookie: The secret of both nodes.
    ///   - challenge: A random number from a secure source, another one for each handshake.
    package init(as ourselves: ErlangPeer, cookie: ErlangCookie, challenge: UInt32) {
        precondition(ourselves.creation != 0, "0 is no creation")
        self.ourselves = ourselves
        self.cookie = cookie
        self.challenge = challenge
    }

    package mutating func receive(_ bytes: RawSpan) { stream.receive(bytes) }

    /// Returns the next event; nil to wait for more bytes.
    ///
    /// After an error, ``takeOutput()`` returns the refusal, if the protocol has one. Send it, then close the
    /// connection.
    ///
    /// - Throws: ``ErlangError/handshake(_:)``, again at each later call.
    package mutating func nextEvent() throws(ErlangError) -> Event? {
        do throws(ErlangError) {
            while true {
                switch state {
                case .connected: return nil
                case .introduced:
                    // The node must be silent until we answer.
                    guard !stream.isFlooded
                    else { throw .handshake(.tooLong(limit: HandshakeStream.messageLimit)) }
                    return nil
                case .failed(let error): throw error
                case .awaitingName, .awaitingDecision, .awaitingReply: break
                }
                guard let message = try stream.nextMessage() else { return nil }
                if let event = try take(message) { return event }
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Answers ``Event/introduced(_:)``.
    package mutating func answer(_ status: HandshakeStatus) {
        guard case .introduced(let peer) = state else { preconditionFailure("answered without having been asked") }
        stream.send(HandshakeMessages.status(status))
        switch status {
        case .ok, .okSimultaneous: ask(peer)
        case .alive: state = .awaitingDecision(peer)
        case .refused: state = .failed(.handshake(.simultaneous))
        case .notAllowed: state = .failed(.handshake(.notAllowed))
        }
    }

    /// The error if the connection has closed before the handshake was complete.
    package func errorAtEnd() -> ErlangError {
        if case .failed(let error) = state { error } else { .handshake(.ended) }
    }

    package mutating func takeOutput() -> [UInt8] { stream.takeOutput() }

    /// The bytes after the handshake, which belong to packets. Call this only after ``Event/connected(_:)``.
    package mutating func takeRest() -> [UInt8] {
        guard case .connected = state else { preconditionFailure("the handshake has not ended") }
        return stream.takeRest()
    }

    private mutating func take(_ message: [UInt8]) throws(ErlangError) -> Event? {
        switch state {
        case .awaitingName: return try takeName(message)
        case .awaitingDecision(let peer):
            guard try HandshakeMessages.readDecision(message) else { throw .handshake(.alive) }
            ask(peer)
            return .replaces
        case .awaitingReply(let peer):
            let (theirs, digest) = try HandshakeMessages.readReply(message)
            guard cookie.answers(challenge, with: digest) else { throw .handshake(.wrongCookie) }
            stream.send(HandshakeMessages.acknowledgement(cookie.digest(of: theirs)))
            state = .connected
            return .connected(
                ErlangPeer(
                    name: peer.name, flags: peer.flags.intersection(ourselves.flags), creation: peer.creation))
        case .introduced, .connected, .failed: preconditionFailure("no message is awaited")
        }
    }

    private mutating func takeName(_ message: [UInt8]) throws(ErlangError) -> Event? {
        let peer: ErlangPeer
        do throws(ErlangError) {
            peer = try HandshakeMessages.readIntroduction(message)
            guard peer.name != ourselves.name else { throw .handshake(.ownName) }
            try HandshakeStep.require(peer)
        } catch {
            if let status = Self.status(for: error) { stream.send(HandshakeMessages.status(status)) }
            throw error
        }
        state = .introduced(peer)
        return .introduced(peer)
    }

    /// The status that a refused node gets; nil if the other end is no node.
    private static func status(for error: ErlangError) -> HandshakeStatus? {
        switch error {
        case .handshake(.ownName): .refused
        case .handshake(.missingFlags), .handshake(.creation): .notAllowed
        default: nil
        }
    }

    private mutating func ask(_ peer: ErlangPeer) {
        stream.send(HandshakeMessages.challenge(challenge, of: ourselves))
        state = .awaitingReply(peer)
    }
}

extension HandshakeStatus {
    /// The answer to a node that wants to connect.
    ///
    /// If both nodes have begun to connect, the connection from the node with the greater name stays.
    ///
    /// - Parameters:
    ///   - peer: The node's name.
    ///   - ourselves: Our name.
    ///   - connected: Whether a connection to that name is up.
    ///   - connecting: Whether we have begun to connect to it, and the connection is not up yet.
    package init(for peer: ErlangNodeName, at ourselves: ErlangNodeName, connected: Bool, connecting: Bool) {
        if connected {
            self = .alive
        } else if connecting {
            self = ourselves > peer ? .refused : .okSimultaneous
        } else {
            self = .ok
        }
    }
}
