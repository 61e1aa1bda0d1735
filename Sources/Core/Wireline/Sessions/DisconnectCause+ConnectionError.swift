// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTLS
import WirelineTransport
import WirelineWebSocket

extension DisconnectCause {
    /// - Parameter overTLS: Whether the server's identity was verified before it could send anything.
    init(_ error: ConnectionError, overTLS: Bool) {
        self =
            switch error {
            case .codec(let error): Self(error)
            case .transport(let error): Self(error)
            case .tls(let error): Self(error)
            case .unanswered: .timedOut
            case .unmatchedReply: .broken(error.description)
            case .endedBeforeReply: .endedByPeer
            case .webSocket(let error): Self(error, overTLS: overTLS)
            case .proxy(let error): Self(error)
            case .webSocketEnded: .endedByPeer
            case .disconnected(let cause): cause
            case .httpRequest, .cancelled, .alreadyReceiving, .notOnLoop, .tooManyRequests, .requestFailed, .session,
                .sessionEnded, .tooManyConnections, .tooManyNewConnections, .proxyHeader, .tooSlow, .readTooSlowly,
                .noRoom, .slowReader, .kicked, .clientReleased:
                .failed(error.description)
            }
    }

    private init(_ error: CodecError) {
        if case .endOfStream = error.reason { self = .endedByPeer } else { self = Self.broken(by: error) }
    }

    init(_ error: TransportError) {
        self =
            switch error {
            case .refused: .refused
            case .reset: .reset
            case .timedOut: .timedOut
            case .unknownHost, .lookupFailed, .invalidAddress: .unknownHost
            case .interfaceNotPermitted, .differentFamilies, .invalidPath, .notASocket, .notListening, .noAddress:
                Self.misconfigured(by: error)
            // An interface may return.
            case .system, .noSuchInterface, .closed, .cancelled: Self.failed(by: error)
            }
    }

    private init(_ error: WebSocketError, overTLS: Bool) {
        self =
            switch error {
            case .invalidURL, .invalidHeader, .reservedHeader, .invalidCookie, .invalidCredentials, .invalidSubprotocol,
                .invalidOrigin, .invalidDeflate, .deflateUnavailable:
                Self.misconfigured(by: error)
            case .truncated: .endedByPeer
            // Without TLS it may be a captive portal that redirects.
            case .refused(let response) where overTLS && [301, 308].contains(response.status):
                Self.misconfigured(by: error)
            case .refused(let response): .refusedByHTTP(status: response.status)
            default: Self.broken(by: error)
            }
    }

    private init(_ error: ProxyError) {
        self =
            switch error {
            // The proxy would refuse again.
            case .invalidURL, .invalidCredentials, .invalidHost, .noAcceptableMethod, .loginRefused,
                .refused(status: 407, _):
                Self.misconfigured(by: error)
            case .notConnected(.connectionRefused): .refused
            case .refused, .notConnected: Self.failed(by: error)
            case .invalidAnswer, .notSOCKS5: Self.broken(by: error)
            case .truncated: .endedByPeer
            }
    }

    private init(_ error: TLSError) {
        self =
            switch error {
            case .unavailable, .unreadableFile, .notRegularFile, .unusable, .encryptedKey, .keyDoesNotMatch,
                .invalidServerName, .invalidPin, .noVersion, .wrongSide, .unknownCipher, .unknownGroup,
                .unusableKeyLog, .exposedKeyLog, .invalidApplicationProtocol:
                Self.misconfigured(by: error)
            case .unknownIssuer: .notTrusted(.unknownIssuer)
            case .selfSigned: .notTrusted(.selfSigned)
            case .certificateExpired: .notTrusted(.expired)
            case .certificateNotYetValid: .notTrusted(.notYetValid)
            case .wrongHost(let expected): .notTrusted(.wrongHost(expected: expected.escaped()))
            case .missingCertificate: .notTrusted(.missing)
            case .certificateRefused(let code, _): .notTrusted(.refused(code: code))
            case .pinMismatch: .wrongKey
            case .notTLS, .violation: Self.broken(by: error)
            case .truncated: .endedByPeer
            case .alert, .failed, .outputEnded: Self.failed(by: error)
            }
    }

    // Peers can have written parts of these texts.

    private static func failed(by error: some CustomStringConvertible) -> Self { .failed(error.description.escaped()) }

    private static func broken(by error: some CustomStringConvertible) -> Self { .broken(error.description.escaped()) }

    private static func misconfigured(by error: some CustomStringConvertible) -> Self {
        .misconfigured(error.description.escaped())
    }
}
