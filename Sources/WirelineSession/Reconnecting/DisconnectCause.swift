// SPDX-License-Identifier: Apache-2.0

/// Why a connection was not made, or has ended.
@nonexhaustive
public enum DisconnectCause: Equatable, Sendable {
    /// The machine is there, and nobody listens.
    case refused
    /// The peer has reset the connection (TCP RST).
    case reset
    /// Connecting, or logging in, took too long, or the peer has taken nothing of what was sent to it.
    case timedOut
    /// No address of the host is known.
    case unknownHost
    /// The system could not do it: no route, no descriptor, no memory.
    case failed
    /// The peer has sent what is no packet.
    case broken
    /// A heartbeat was not answered in time, nor did anything else arrive.
    case silent
    /// The peer has ended its stream without a word.
    case endedByPeer
    /// The server has said that it ends the connection, and why.
    case kicked(KickNotice)
    /// The server has refused the login: it would do so again.
    case loginRefused
    /// The login has failed, and may not the next time.
    case loginFailed
    /// The server could not prove who it is (TLS): somebody may stand between.
    case notTrusted
    /// This end cannot connect as it is set up: there is no OpenSSL, a name is none, or a heartbeat does not fit its packet.
    case misconfigured
    /// The user of this end has ended it.
    case endedByUs
}

/// What a server has said when it ended a connection.
public struct KickNotice: Equatable, Sendable {
    /// What comes next.
    @nonexhaustive
    public enum Advice: Equatable, Sendable {
        /// Not to come back: another login of the same account, a ban, a version that is too old.
        case stop
        /// To come back, after so long at the earliest: a restart, too many connections.
        case wait(atLeast: Duration)
    }

    /// The protocol's number for the reason.
    public let reason: UInt64
    /// What follows from it.
    public let advice: Advice

    /// Makes a kick.
    public init(reason: UInt64, advice: Advice) {
        self.reason = reason
        self.advice = advice
    }
}

extension DisconnectCause: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .refused: "nobody listens at the address"
        case .reset: "the peer has reset the connection"
        case .timedOut: "connecting or logging in took too long, or nothing of what was sent was taken"
        case .unknownHost: "no address of the host is known"
        case .failed: "the system could not connect"
        case .broken: "the peer has sent what is no packet"
        case .silent: "the peer has fallen silent"
        case .endedByPeer: "the peer has ended the connection"
        case .kicked(let kick): "the server has ended the connection, with reason \(kick.reason)"
        case .loginRefused: "the server has refused the login"
        case .loginFailed: "the login has failed"
        case .notTrusted: "the server could not prove who it is"
        case .misconfigured: "this side cannot connect as it is set up"
        case .endedByUs: "the connection was ended on this side"
        }
    }
}
