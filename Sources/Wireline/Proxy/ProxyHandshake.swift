// SPDX-License-Identifier: Apache-2.0

/// What is said to a proxy, and what it answers, up to where the server's own bytes begin; without input or output.
///
/// Send what ``takeOutput()`` gives, hand over what comes with ``receive(_:)``, and again, until ``isComplete``. A handshake
/// that has thrown stays failed.
package struct ProxyHandshake: Sendable {
    private enum Dialogue: Sendable {
        case http(HTTPConnectDialogue)
        case socks5(SOCKS5Dialogue)
    }

    private var dialogue: Dialogue
    private var failure: ProxyError?

    /// - Parameters:
    ///   - proxy: Whom it is said to.
    ///   - host: The server: a name, or the text of an IP address.
    ///   - port: The server's port.
    /// - Throws: ``ProxyError/invalidHost``, ``ProxyError/invalidCredentials``.
    package init(_ proxy: Proxy, to host: String, port: UInt16) throws(ProxyError) {
        // The zone of an IPv6 address means nothing to others (RFC 6874 §4).
        let host = String(host.prefix { $0 != "%" })
        dialogue =
            switch proxy {
            case .http(_, _, let credentials): .http(try HTTPConnectDialogue(to: host, port: port, credentials))
            case .socks5(_, _, let credentials): .socks5(try SOCKS5Dialogue(to: host, port: port, credentials))
            }
    }

    /// How many bytes of the proxy's are missing at least: whoever reads no more never reads what is the server's.
    /// 0 once it is complete.
    package var neededByteCount: Int {
        switch dialogue {
        case .http(let dialogue): dialogue.neededByteCount
        case .socks5(let dialogue): dialogue.neededByteCount
        }
    }

    /// Whether the proxy has connected.
    package var isComplete: Bool { failure == nil && neededByteCount == 0 }

    /// Takes what is to be sent to the proxy.
    package mutating func takeOutput() -> [UInt8] {
        switch dialogue {
        case .http(var dialogue):
            defer { self.dialogue = .http(dialogue) }
            return dialogue.takeOutput()
        case .socks5(var dialogue):
            defer { self.dialogue = .socks5(dialogue) }
            return dialogue.takeOutput()
        }
    }

    /// Takes bytes of the proxy's.
    ///
    /// - Parameter bytes: What has come, cut anywhere, without what was taken before.
    /// - Returns: How many bytes were taken; what is behind them is the server's.
    /// - Throws: What the proxy says that does not connect, or what is wrong with what it says.
    package mutating func receive(_ bytes: RawSpan) throws(ProxyError) -> Int {
        if let failure { throw failure }
        do throws(ProxyError) {
            var count = 0
            while count < bytes.byteCount, neededByteCount > 0 {
                let rest = bytes.extracting(droppingFirst: count)
                count += try takeSome(rest.extracting(first: neededByteCount))
            }
            return count
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func takeSome(_ bytes: RawSpan) throws(ProxyError) -> Int {
        switch dialogue {
        case .http(var dialogue):
            defer { self.dialogue = .http(dialogue) }
            try dialogue.receive(bytes)
        case .socks5(var dialogue):
            defer { self.dialogue = .socks5(dialogue) }
            try dialogue.receive(bytes)
        }
        return bytes.byteCount
    }

    /// Takes note that the connection has ended.
    ///
    /// - Throws: ``ProxyError/truncated`` unless it is complete.
    package mutating func endOfInput() throws(ProxyError) {
        guard !isComplete else { return }
        let error = failure ?? .truncated
        failure = error
        throw error
    }
}
