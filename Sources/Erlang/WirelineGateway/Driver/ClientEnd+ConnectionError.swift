// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport
import WirelineWebSocket

extension ClientEnd {
    /// The reason of a client's end, from the error of its connection; nil: the client closed it.
    init(_ error: (any Error)?) {
        guard let error else {
            self = .normal
            return
        }
        switch error as? ConnectionError {
        case .codec(let error): self = .packet("\(error)")
        case .httpRequest: self = .packet("\(ConnectionError.httpRequest)")
        case .transport(.timedOut), .tooSlow: self = .idle
        case .tls(let error): self = .tls("\(error)")
        case .webSocketEnded(let end): self = Self(end)
        case .webSocket(let error): self = .webSocket((error.closeCode ?? .protocolError).rawValue)
        case .readTooSlowly, .noRoom, .slowReader: self = .slow
        default: self = .reset
        }
    }

    private init(_ end: WebSocketEnd) {
        switch (end.cause, end.received?.code) {
        case (.closedByPeer, .normal?), (.closedByPeer, .goingAway?), (.closedByPeer, nil): self = .normal
        case (.closedByPeer, let code?): self = .webSocket(code.rawValue)
        case (.cut, _): self = .reset
        default: self = .webSocket((end.sent?.code ?? .protocolError).rawValue)
        }
    }
}
