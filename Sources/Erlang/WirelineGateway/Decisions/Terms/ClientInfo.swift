// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// A client's connection, as backends see it.
package struct ClientInfo: Equatable, Sendable {
    /// An IP address and a port.
    package struct Address: Equatable, Sendable {
        /// 4 or 16 bytes.
        package var bytes: [UInt8]
        package var port: UInt16

        package init(bytes: [UInt8], port: UInt16) {
            self.bytes = bytes
            self.port = port
        }

        /// The form of Erlang's `inet`: `{{127, 0, 0, 1}, 9001}`.
        package var term: ErlangTerm {
            let parts: [ErlangTerm] =
                bytes.count == 16
                ? stride(from: 0, to: 16, by: 2).map { .integer(Int64(bytes[$0]) << 8 | Int64(bytes[$0 + 1])) }
                : bytes.map { .integer(Int64($0)) }
            return .tuple(.tuple(parts), .integer(Int64(port)))
        }
    }

    package enum Transport: String, Equatable, Sendable {
        case tcp
        case webSocket = "websocket"
    }

    package struct TLS: Equatable, Sendable {
        package var version: String
        package var cipher: String
        /// The host that the client asked for.
        package var serverName: String?
        /// The client's certificate, in DER.
        package var certificate: [UInt8]?

        package init(version: String, cipher: String, serverName: String? = nil, certificate: [UInt8]? = nil) {
            self.version = version
            self.cipher = cipher
            self.serverName = serverName
            self.certificate = certificate
        }

        fileprivate var term: ErlangTerm {
            [
                "version": .text(version), "cipher": .text(cipher),
                "server_name": serverName.map { .text($0) } ?? .undefined,
                "certificate": certificate.map { .binary($0) } ?? .undefined,
            ]
        }
    }

    /// The client's own address, even if it came through a proxy.
    package var peer: Address
    /// The address of the proxy, if the client came through one.
    package var proxy: Address?
    package var local: Address
    package var transport: Transport
    package var tls: TLS?
    /// The path of the upgrade to a WebSocket, with its query.
    package var path: String?
    /// The headers of the upgrade, with lowercase names.
    package var headers: [(name: String, value: String)]
    /// When the client connected, in milliseconds since 1970.
    package var opened: Int64

    package init(
        peer: Address, local: Address, transport: Transport = .tcp, proxy: Address? = nil, tls: TLS? = nil,
        path: String? = nil, headers: [(name: String, value: String)] = [], opened: Int64
    ) {
        self.peer = peer
        self.local = local
        self.transport = transport
        self.proxy = proxy
        self.tls = tls
        self.path = path
        self.headers = headers
        self.opened = opened
    }

    package static func == (left: Self, right: Self) -> Bool { left.term == right.term }

    /// An estimate of the term's bytes.
    var byteCount: Int { 384 + chosenByteCount }

    /// An estimate of the bytes that the client chose: the head of its upgrade, and its certificate.
    var chosenByteCount: Int {
        let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 16 }
        return fields + (path?.utf8.count ?? 0) + (tls?.certificate?.count ?? 0)
    }

    /// The part of the map that stays the same for the client's life.
    package var term: ErlangMap {
        [
            "peer": peer.term, "proxy": proxy?.term ?? .undefined, "local": local.term,
            "transport": .atom(ErlangAtom(transport.rawValue)), "tls": tls?.term ?? .undefined,
            "path": path.map { .text($0) } ?? .undefined,
            "headers": .list(headers.map { .tuple(.text($0.name), .text($0.value)) }),
            "opened": .integer(opened),
        ]
    }
}

/// A client's connection and its progress, as backends see them.
package struct ClientSnapshot: Equatable, Sendable {
    package var info: ClientInfo
    /// The number of messages that have arrived.
    package var received: UInt64
    /// The number of the last message that is done.
    package var confirmed: UInt64
    /// The most messages that the owner may have unconfirmed; 0: messages have no numbers.
    package var window: Int
    package var state: ErlangTerm
    package var groups: [ErlangTerm]

    package init(
        info: ClientInfo, received: UInt64, confirmed: UInt64, window: Int, state: ErlangTerm, groups: [ErlangTerm]
    ) {
        self.info = info
        self.received = received
        self.confirmed = confirmed
        self.window = window
        self.state = state
        self.groups = groups
    }

    /// The map `Info` of the protocol.
    package var term: ErlangMap {
        var map = info.term
        map["received"] = ErlangTerm(received)
        map["confirmed"] = ErlangTerm(confirmed)
        map["window"] = ErlangTerm(window)
        map["state"] = state
        map["groups"] = .list(groups)
        return map
    }
}

extension ErlangTerm {
    /// Erlang's word for a missing value.
    static let undefined: ErlangTerm = "undefined"
}
