// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import FaultSupport
import Testing
import WirelineErlang

extension ErlangProgram {
    /// Asks epmd. Its connection is returned, too, because a registration lasts as long as that.
    func ask(_ request: EPMDRequest) throws -> (EPMDAnswer, RawSocket) {
        var exchange = EPMDExchange(request)
        let socket = try RawSocket.connect(to: epmdPort)
        try socket.send(exchange.output)
        while true {
            let bytes = try socket.receive()
            let answer = bytes.isEmpty ? try exchange.endOfInput() : try exchange.receive(bytes.span.bytes)
            if let answer { return (answer, socket) }
            try #require(!bytes.isEmpty)
        }
    }
}

/// Our end of a connection to a real node, on a blocking socket.
final class ErlangConnection {
    let peer: ErlangPeer
    private let socket: RawSocket
    private let encoder: PacketEncoder
    private var input: DistributionInput

    /// Connects to a node.
    init(to port: UInt16, as ourselves: ErlangPeer, cookie: String) throws {
        socket = try RawSocket.connect(to: port)
        var handshake = OutgoingHandshake(
            as: ourselves, to: Node.name(ErlangProgram.name), cookie: ErlangCookie(cookie)!,
            challenge: .random(in: .min ... .max))
        peer = try Self.finish(socket) { bytes in
            handshake.receive(bytes.span.bytes)
            if case .connected(let peer)? = try handshake.nextEvent() { return peer }
            return nil
        } output: {
            handshake.takeOutput()
        } errorAtEnd: {
            handshake.errorAtEnd()
        }
        encoder = PacketEncoder(ourselves: ourselves.name, peer: peer)
        input = DistributionInput(peer: peer)
        let rest = handshake.takeRest()
        input.receive(rest.span.bytes)
    }

    /// Accepts a node's connection.
    init(accepting listener: RawSocket, as ourselves: ErlangPeer, cookie: String) throws {
        socket = try listener.accept()
        var handshake = IncomingHandshake(
            as: ourselves, cookie: ErlangCookie(cookie)!, challenge: .random(in: .min ... .max))
        peer = try Self.finish(socket) { bytes in
            handshake.receive(bytes.span.bytes)
            while let event = try handshake.nextEvent() {
                switch event {
                case .introduced: handshake.answer(.ok)
                case .replaces: break
                case .connected(let peer): return peer
                }
            }
            return nil
        } output: {
            handshake.takeOutput()
        } errorAtEnd: {
            handshake.errorAtEnd()
        }
        let acknowledgement = handshake.takeOutput()
        try socket.send(acknowledgement)
        encoder = PacketEncoder(ourselves: ourselves.name, peer: peer)
        input = DistributionInput(peer: peer)
        let rest = handshake.takeRest()
        input.receive(rest.span.bytes)
    }

    private static func finish(
        _ socket: RawSocket, receive: ([UInt8]) throws -> ErlangPeer?, output: () -> [UInt8],
        errorAtEnd: () -> ErlangError
    ) throws -> ErlangPeer {
        while true {
            try socket.send(output())
            let bytes = try socket.receive()
            guard !bytes.isEmpty else { throw errorAtEnd() }
            if let peer = try receive(bytes) { return peer }
        }
    }

    func send(_ messages: OutgoingMessage...) throws {
        var output: [UInt8] = []
        for message in messages {
            let isWritten = try encoder.append(message, to: &output)
            try #require(isWritten)
        }
        try socket.send(output)
    }

    /// Waits for an event that is no tick, and answers ticks.
    func nextEvent() throws -> DistributionEvent {
        while true {
            while let event = try input.nextEvent() {
                guard event == .tick else { return event }
                try socket.send(PacketEncoder.tick)
            }
            let bytes = try socket.receive()
            try #require(!bytes.isEmpty, "the node has closed the connection")
            input.receive(bytes.span.bytes)
        }
    }

    /// Waits for a message or a reason; what else comes is passed over.
    func next(_ isWanted: (ControlMessage) -> Bool = { _ in true }) throws -> (ControlMessage, ErlangTerm?) {
        while true {
            guard case .message(let control, let content) = try nextEvent(), isWanted(control) else { continue }
            return (control, try content.map(term))
        }
    }
}
