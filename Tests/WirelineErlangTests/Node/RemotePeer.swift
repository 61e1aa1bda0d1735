// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineErlang

/// Another node, as far as these tests need one. It connects, and says what it is told.
struct RemotePeer {
    private(set) var failure: ErlangError?
    private var handshake: OutgoingHandshake
    private(set) var id: NodeConnectionID?
    private let encoder: PacketEncoder
    private var input = DistributionInput(peer: Node.ours)

    init(cookie: String = "secret") {
        handshake = OutgoingHandshake(
            as: Node.theirs, to: Node.ours.name, cookie: ErlangCookie(cookie)!, challenge: 7)
        encoder = PacketEncoder(ourselves: Node.theirs.name, peer: Node.ours)
    }

    /// Connects, and proves the cookie.
    mutating func connect(to core: inout NodeCore, at now: Duration = .zero) {
        guard let id = core.accepted(challenge: 42, at: now) else { return }
        self.id = id
        var isUp = false
        for _ in 0..<4 {
            let output = handshake.takeOutput()
            core.receive(output.span.bytes, on: id, at: now)
            let answer = core.takeOutput(of: id)
            handshake.receive(answer.span.bytes)
            do throws(ErlangError) {
                while let event = try handshake.nextEvent() {
                    switch event {
                    case .alive: handshake.decide(continues: true)
                    case .connected: isUp = true
                    }
                }
            } catch {
                failure = error
                return
            }
        }
        if !isUp { failure = handshake.errorAtEnd() }
    }

    func bytes(_ messages: [OutgoingMessage]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for message in messages { try #require(try encoder.append(message, to: &bytes)) }
        return bytes
    }

    func say(_ messages: [OutgoingMessage], to core: inout NodeCore) throws {
        deliver(try bytes(messages), to: &core)
    }

    func deliver(_ bytes: [UInt8], to core: inout NodeCore) {
        if let id { core.receive(bytes.span.bytes, on: id, at: .zero) }
    }

    func takeBytes(from core: inout NodeCore) -> [UInt8] { id.map { core.takeOutput(of: $0) } ?? [] }

    /// What the node has said.
    mutating func hear(from core: inout NodeCore) throws -> [ControlMessage] {
        let bytes = takeBytes(from: &core)
        input.receive(bytes.span.bytes)
        var heard: [ControlMessage] = []
        while let event = try input.nextEvent() {
            if case .message(let control, _) = event { heard.append(control) }
        }
        return heard
    }
}
