// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// Why a client ends: the reason in `close`, in `DOWN` and of its links.
package enum ClientEnd: Equatable, Sendable {
    /// The client closed the connection.
    case normal
    /// The connection broke.
    case reset
    /// The client sent nothing for too long.
    case idle
    /// The client reads too slowly, or it had the most bytes when memory was short.
    case slow
    /// The client broke the protocol; the text explains it.
    case packet(String)
    /// The TLS handshake or a record failed; the text explains it.
    case tls(String)
    /// The client closed a WebSocket with this code, or broke its protocol.
    case webSocket(UInt16)
    /// No backend accepted the client in time.
    case noBackend
    /// The gateway has drained.
    case drain
    /// A process sent `kick` with this reason.
    case kicked(ErlangTerm)
    /// A process called `exit/2`, or a linked process ended, with this reason.
    case exited(ErlangTerm)
    case killed

    package var term: ErlangTerm {
        switch self {
        case .normal: "normal"
        case .reset: .tuple("shutdown", "reset")
        case .idle: .tuple("shutdown", "idle")
        case .slow: .tuple("shutdown", "slow")
        case .packet(let text): .tuple("shutdown", .tuple("packet", .text(text)))
        case .tls(let text): .tuple("shutdown", .tuple("tls", .text(text)))
        case .webSocket(let code): .tuple("shutdown", .tuple("websocket", .integer(Int64(code))))
        case .noBackend: .tuple("shutdown", "no_backend")
        case .drain: .tuple("shutdown", "drain")
        case .kicked(let reason), .exited(let reason): reason
        case .killed: "killed"
        }
    }

    /// RFC 6455 §7.4.1.
    package var closeCode: UInt16 {
        switch self {
        case .normal, .reset, .idle, .tls, .webSocket: 1000
        case .packet: 1007
        case .slow, .kicked, .exited, .killed: 1008
        case .drain: 1012
        case .noBackend: 1013
        }
    }

    package static let labels = [
        "normal", "reset", "idle", "slow", "packet", "tls", "websocket", "no_backend", "drain", "kicked", "exited",
        "killed",
    ]

    /// The value of the label `reason` in metrics.
    package var label: String {
        switch self {
        case .normal: "normal"
        case .reset: "reset"
        case .idle: "idle"
        case .slow: "slow"
        case .packet: "packet"
        case .tls: "tls"
        case .webSocket: "websocket"
        case .noBackend: "no_backend"
        case .drain: "drain"
        case .kicked: "kicked"
        case .exited: "exited"
        case .killed: "killed"
        }
    }
}
