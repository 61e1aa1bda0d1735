// SPDX-License-Identifier: Apache-2.0

/// The handshake of the node that connects (version 6).
///
///     we                                   the other node
///     N flags creation name            →
///                                      ←   s ok, ok_simultaneous, nok, not_allowed or alive
///     s true or false, after alive     →
///                                      ←   N flags challenge creation name
///     r challenge digest               →
///                                      ←   a digest
///
/// Each message has a length of 16 bits. OTP gives each step 7 seconds (``HandshakeStep/timeout``).
package struct OutgoingHandshake {
    package enum Event: Equatable, Sendable {
        /// The other node believes that a connection between us is up. ``decide(continues:)`` says whether that one is
        /// dead.
        case alive
        /// Both nodes have proved the cookie. Packets follow.
        case connected(ErlangPeer)
    }

    private enum State {
        case awaitingStatus
        /// We wait for the caller's ``decide(continues:)``.
        case alive
        case awaitingChallenge
        case awaitingAcknowledgement(ErlangPeer)
        case connected
        case failed(ErlangError)
    }

    private let ourselves: ErlangPeer
    private let target: ErlangNodeName
    private let cookie: ErlangCookie
    private let challenge: UInt32
    private var state = State.awaitingStatus
    private var stream = HandshakeStream()

    /// - Parameters:
    ///   - ourselves: Our name, flags and creation; the creation must not be 0.
    ///   - target: The node that should answer.
    ///   - cookie: The secret of both nodes.
    ///   - challenge: A random number from a secure source, another one for each handshake.
    package init(as ourselves: ErlangPeer, to target: ErlangNodeName, cookie: ErlangCookie, challenge: UInt32) {
        precondition(ourselves.creation != 0, "0 is no creation")
        self.ourselves = ourselves
        self.target = target
        self.cookie = cookie
        self.challenge = challenge
        stream.send(HandshakeMessages.introduction(of: ourselves))
    }

    package mutating func receive(_ bytes: RawSpan) { stream.receive(bytes) }

    /// Returns the next event; nil to wait for more bytes.
    ///
    /// - Throws: ``ErlangError/handshake(_:)``, again at each later call.
    package mutating func nextEvent() throws(ErlangError) -> Event? {
        do throws(ErlangError) {
            while true {
                switch state {
                case .alive, .connected: return nil
                case .failed(let error): throw error
                case .awaitingStatus, .awaitingChallenge, .awaitingAcknowledgement: break
                }
                guard let message = try stream.nextMessage() else { return nil }
                if let event = try take(message) { return event }
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Answers ``Event/alive``.
    ///
    /// - Parameter continues: Whether the old connection is dead, so that this one replaces it. If not, the handshake
    ///   ends with ``ErlangHandshakeFault/alive``.
    package mutating func decide(continues: Bool) {
        guard case .alive = state else { preconditionFailure("decided without having been asked") }
        stream.send(HandshakeMessages.decision(continues: continues))
        state = continues ? .awaitingChallenge : .failed(.handshake(.alive))
    }

    /// The error if the connection has closed before the handshake was complete.
    package func errorAtEnd() -> ErlangError {
        switch state {
        case .failed(let error): error
        // If our proof is wrong, the node closes the connection without a message. There is no other sign.
        case .awaitingAcknowledgement: .handshake(.cookieRefused)
        case .awaitingStatus, .alive, .awaitingChallenge, .connected: .handshake(.ended)
        }
    }

    package mutating func takeOutput() -> [UInt8] { stream.takeOutput() }

    /// The bytes after the handshake, which belong to packets. Call this only after ``Event/connected(_:)``.
    package mutating func takeRest() -> [UInt8] {
        guard case .connected = state else { preconditionFailure("the handshake has not ended") }
        return stream.takeRest()
    }

    private mutating func take(_ message: [UInt8]) throws(ErlangError) -> Event? {
        switch state {
        case .awaitingStatus: return try takeStatus(HandshakeMessages.readStatus(message))
        case .awaitingChallenge:
            try takeChallenge(message)
            return nil
        case .awaitingAcknowledgement(let peer):
            let digest = try HandshakeMessages.readAcknowledgement(message)
            guard cookie.answers(challenge, with: digest) else { throw .handshake(.wrongCookie) }
            state = .connected
            return .connected(peer)
        case .alive, .connected, .failed: preconditionFailure("no message is awaited")
        }
    }

    private mutating func takeStatus(_ status: HandshakeStatus) throws(ErlangError) -> Event? {
        switch status {
        case .ok, .okSimultaneous:
            state = .awaitingChallenge
            return nil
        case .alive:
            state = .alive
            return .alive
        case .refused: throw .handshake(.simultaneous)
        case .notAllowed: throw .handshake(.notAllowed)
        }
    }

    private mutating func takeChallenge(_ message: [UInt8]) throws(ErlangError) {
        let (peer, theirs) = try HandshakeMessages.readChallenge(message)
        guard peer.name == target else { throw .handshake(.otherNode) }
        try HandshakeStep.require(peer)
        stream.send(HandshakeMessages.reply(cookie.digest(of: theirs), challenge: challenge))
        let agreed = peer.flags.intersection(ourselves.flags)
        state = .awaitingAcknowledgement(ErlangPeer(name: peer.name, flags: agreed, creation: peer.creation))
    }
}

package enum HandshakeStep {
    /// The time that OTP waits for each step (`net_setuptime`).
    package static let timeout = Duration.seconds(7)

    static func require(_ peer: ErlangPeer) throws(ErlangError) {
        let missing = ErlangFlags.required.subtracting(peer.flags)
        guard missing.isEmpty else { throw .handshake(.missingFlags(missing.rawValue)) }
        guard peer.creation != 0 else { throw .handshake(.creation) }
    }
}
