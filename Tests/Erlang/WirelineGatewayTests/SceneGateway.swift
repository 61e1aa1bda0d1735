// SPDX-License-Identifier: Apache-2.0

import ErlangSupport
import Foundation
import Scene
import Testing
import TestingSupport
import WirelineErlang
import WirelineGateway
import WirelineLanguage
import WirelineSchema

/// A gateway for the protocol Scene, beside real Erlang nodes.
///
/// `#cs_20001{}` comes from clients, `#sc_20001{}` goes to them.
enum SceneGateway {
    static let group: ErlangTerm = "scene"

    /// A schema, as the tool reads it.
    static func schema(_ path: String = "Protocols/Scene/scene.wire") throws -> GatewayProtocol {
        let source = SourceFile(path: path, bytes: [UInt8](try Data(contentsOf: Checkout.url(path))))
        let description = try #require(ProtocolDescription.check(name: "Clients", files: [source]).description)
        return GatewayProtocol(ErlangRecords(description))
    }

    /// A server whose clients may be slow: this machine may be busy.
    static var patient: ServerConfiguration {
        ServerConfiguration(
            listening: ListeningOptions(handshakeTimeout: nil, minimumRate: nil, minimumReadingRate: nil),
            firstPacketTimeout: nil, limits: ConnectionLimits(writeTimeout: nil))
    }

    /// Starts a gateway, with clients on the loopback address.
    static func start(
        _ programs: ErlangProgram..., as name: String = "gw@127.0.0.1",
        names: [ErlangNodeName] = [ErlangNodeName(stringLiteral: ErlangProgram.name)],
        cookie: String = ErlangProgram.cookie, protocol schema: GatewayProtocol? = nil,
        on loops: EventLoopGroup? = nil,
        _ change: (inout ErlangGatewayConfiguration) -> Void = { _ in }
    ) async throws -> ErlangGateway {
        var configuration = ErlangGatewayConfiguration(
            endpoints: [.init(.host("127.0.0.1", port: 0), serving: patient)], backends: .group(group), nodes: names)
        configuration.node.portMapper = .epmd(host: "127.0.0.1", port: try #require(programs.first).epmdPort)
        change(&configuration)
        return try await ErlangGateway.start(
            name, cookie: .text(cookie), protocol: try schema ?? Self.schema(), on: loops, configuration: configuration)
    }

    static func connect(
        to gateway: ErlangGateway, at index: Int = 0, _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) async throws -> PacketClient<SceneProtocol> {
        try await connect(to: gateway, at: index, speaking: SceneProtocol.self, change)
    }

    static func connect<Definition>(
        to gateway: ErlangGateway, at index: Int = 0, speaking definition: Definition.Type,
        _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) async throws -> PacketClient<Definition> {
        var configuration = ClientConfiguration(
            dialing: DialingOptions(connectTimeout: .seconds(500)), requestTimeout: .seconds(500),
            limits: ConnectionLimits(writeTimeout: nil))
        change(&configuration)
        return try await PacketClient.connect(
            to: "127.0.0.1", port: gateway.addresses[index].port, protocol: definition,
            configuration: configuration)
    }
}

extension PacketClient<SceneProtocol> {
    /// The text of the next message, which must be an answer; nil at the end of the stream.
    func nextText() async throws -> String? {
        guard let received = try await nextMessage() else { return nil }
        guard case .sc20001(let answer) = received.message else { throw UnexpectedMessage() }
        return answer.message
    }

    /// Says something in a scene.
    func say(_ text: String, in scene: UInt8 = 1) async throws {
        try await send(Cs_20001(sceneID: scene, line: 0, message: text))
    }
}

struct UnexpectedMessage: Error {}

extension ErlangProgram {
    /// Evaluates an expression, whose value must be `ok`.
    func run(_ expression: String, _ location: Testing.SourceLocation = #_sourceLocation) throws {
        #expect(try evaluate("\(expression), ok") == "ok", sourceLocation: location)
    }

    /// Joins the group of backends.
    func join() throws { try run("pg:join(scene, self())") }

    /// Lets a process own all clients, and answer each message with its text.
    func answerAll() throws {
        let own = "{wireline, E, C, _} when E =:= open; E =:= resume -> C ! {wireline, {owner, self()}}"
        let answer = "{wireline, C, {cs_20001, _, _, T, _}} -> C ! {sc_20001, 1, 1, 1, 0, 0, 100, T, <<>>}"
        let loop = "fun F() -> receive \(own); \(answer); _ -> ok end, F() end"
        try run("pg:join(scene, spawn(\(loop)))")
    }

    /// Owns the next client, whose process is `C` then, and its information `I`.
    func accept(_ event: String = "open") throws {
        try run("receive {wireline, \(event), C, I} -> C ! {wireline, {owner, self()}} end")
    }

    /// A record that a client gets, as text of Erlang.
    static func answer(_ text: String) -> String { "{sc_20001, 1, 1, 1, 0, 0, 100, <<\"\(text)\">>, <<>>}" }
}
