// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSession
import WirelineTLS
import WirelineTransport
import WirelineWebSocket

extension DisconnectCause {
    /// Makes the cause for an error of a connection, or of an attempt to connect.
    ///
    /// - Parameter overTLS: Whether the server's identity was verified before it could send anything.
    init(_ error: ConnectionError, overTLS: Bool) {
        self =
            switch error {
            case .codec(let error): Self(error)
            case .transport(let error): Self(error)
            case .tls(let error): Self(error)
            case .unanswered: .timedOut
            case .unmatchedReply: .broken
            case .endedBeforeReply: .endedByPeer
            case .webSocket(let error): Self(error, overTLS: overTLS)
            case .proxy(let error): Self(error)
            case .webSocketEnded: .endedByPeer
            case .disconnected(let cause): cause
            case .httpRequest, .cancelled, .alreadyReceiving, .notOnLoop, .tooManyRequests, .session, .sessionEnded,
                .tooManyConnections, .tooSlow, .noRoom, .slowReader, .kicked:
                .failed
            }
    }

    private init(_ error: CodecError) {
        if case .endOfStream = error.reason { self = .endedByPeer } else { self = .broken }
    }

    /// Makes the cause for an error of the network, or of a lookup.
    init(_ error: TransportError) {
        self =
            switch error {
            case .refused: .refused
            case .reset: .reset
            case .timedOut: .timedOut
            case .unknownHost, .lookupFailed, .invalidAddress: .unknownHost
            case .interfaceNotPermitted, .differentFamilies: .misconfigured
            // An interface may return.
            case .system, .noSuchInterface, .closed, .cancelled: .failed
            }
    }

    private init(_ error: WebSocketError, overTLS: Bool) {
        self =
            switch error {
            case .invalidURL, .invalidHeader, .reservedHeader, .invalidCookie, .invalidCredentials, .invalidSubprotocol,
                .invalidOrigin, .invalidDeflate, .deflateUnavailable:
                .misconfigured
            case .truncated: .endedByPeer
            // The server would refuse again.
            case .refused(let response) where [401, 403].contains(response.status): .loginRefused
            // Without TLS it may be a captive portal that redirects.
            case .refused(let response) where overTLS && [301, 308].contains(response.status): .misconfigured
            case .refused: .failed
            default: .broken
            }
    }

    private init(_ error: ProxyError) {
        self =
            switch error {
            // The proxy would refuse again.
            case .invalidURL, .invalidCredentials, .invalidHost, .noAcceptableMethod, .loginRefused,
                .refused(status: 407, _):
                .misconfigured
            case .notConnected(.connectionRefused): .refused
            case .refused, .notConnected: .failed
            case .invalidAnswer, .notSOCKS5: .broken
            case .truncated: .endedByPeer
            }
    }

    private init(_ error: TLSError) {
        self =
            switch error {
            case .unavailable, .unreadableFile, .unusable, .encryptedKey, .keyDoesNotMatch, .invalidServerName,
                .invalidPin, .unknownCipher, .unknownGroup,
                .invalidApplicationProtocol:
                .misconfigured
            case .certificateExpired, .certificateNotYetValid, .wrongHost, .selfSigned, .unknownIssuer,
                .certificateRefused, .missingCertificate:
                .notTrusted
            case .pinMismatch: .wrongKey
            case .notTLS, .violation: .broken
            case .truncated: .endedByPeer
            case .alert, .failed, .outputEnded: .failed
            }
    }
}
