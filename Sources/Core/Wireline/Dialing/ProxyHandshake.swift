// SPDX-License-Identifier: Apache-2.0

/// The handshake with a proxy, without input or output, up to the server's first byte.
///
/// Send the bytes of ``takeOutput()``, pass the proxy's bytes to ``receive(_:)``, and repeat until ``isComplete``. A
/// handshake that has thrown stays failed.
package struct ProxyHandshake: Sendable {
    private enum ProtocolHandshake: Sendable {
        case http(HTTPConnectHandshake)
        case socks5(SOCKS5Handshake)
    }

    private var protocolHandshake: ProtocolHandshake
    private var failure: ProxyError?

    /// - Parameter host: The server: a name, or the text of an IP address.
    /// - Throws: ``ProxyError/invalidHost``, ``ProxyError/invalidCredentials``.
    package init(_ proxy: Proxy, to host: String, port: UInt16) throws(ProxyError) {
        // The zone of an IPv6 address means nothing to other hosts (RFC 6874 §4).
        let host = String(host.prefix { $0 != "%" })
        protocolHandshake =
            switch proxy {
            case .http(_, _, let credentials): .http(try HTTPConnectHandshake(to: host, port: port, credentials))
            case .socks5(_, _, let credentials): .socks5(try SOCKS5Handshake(to: host, port: port, credentials))
            }
    }

    /// The least number of bytes that the proxy must still send; 0 when the handshake is complete.
    ///
    /// A caller that reads no more than this never reads the server's bytes.
    package var neededByteCount: Int {
        switch protocolHandshake {
        case .http(let protocolHandshake): protocolHandshake.neededByteCount
        case .socks5(let protocolHandshake): protocolHandshake.neededByteCount
        }
    }

    package var isComplete: Bool { failure == nil && neededByteCount == 0 }

    package mutating func takeOutput() -> [UInt8] {
        switch protocolHandshake {
        case .http(var protocolHandshake):
            defer { self.protocolHandshake = .http(protocolHandshake) }
            return protocolHandshake.takeOutput()
        case .socks5(var protocolHandshake):
            defer { self.protocolHandshake = .socks5(protocolHandshake) }
            return protocolHandshake.takeOutput()
        }
    }

    /// - Parameter bytes: The received bytes, cut anywhere, without those taken before.
    /// - Returns: The number of bytes taken; the bytes after them are the server's.
    /// - Throws: The proxy's refusal, or the error in its answer.
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
        switch protocolHandshake {
        case .http(var protocolHandshake):
            defer { self.protocolHandshake = .http(protocolHandshake) }
            try protocolHandshake.receive(bytes)
        case .socks5(var protocolHandshake):
            defer { self.protocolHandshake = .socks5(protocolHandshake) }
            try protocolHandshake.receive(bytes)
        }
        return bytes.byteCount
    }

    /// - Throws: ``ProxyError/truncated`` unless the handshake is complete.
    package mutating func endOfInput() throws(ProxyError) {
        guard !isComplete else { return }
        let error = failure ?? .truncated
        failure = error
        throw error
    }
}
