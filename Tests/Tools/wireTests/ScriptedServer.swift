// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema

/// A running `wire serve --script`, and the protocol that it speaks.
struct ScriptedServer {
    let tool: ServingTool
    let translator: PacketTranslator

    init(_ script: String, schema: String = gameSchema, _ words: String...) throws {
        let result = ProtocolDescription.check(
            name: "Game", files: [SourceFile(path: "Game.wire", bytes: Array(schema.utf8))])
        struct Invalid: Error { var text: String }
        guard let description = result.description else { throw Invalid(text: result.renderedDiagnostics()) }
        translator = PacketTranslator(description)
        tool = try ServingTool(
            running: ["serve", "127.0.0.1:0", "--script", "game.script"] + words,
            files: ["Protocols/Game/Game.wire": schema, "game.script": script])
    }

    func connect() async throws -> ScriptedConnection {
        ScriptedConnection(connection: try await tool.connect(translator.description.layout), translator: translator)
    }

    /// Ends the server, which must not have reported any problem.
    func end() -> Outcome { tool.end() }
}

/// A client of the server.
struct ScriptedConnection {
    let connection: PacketConnection
    let translator: PacketTranslator

    func packet(_ message: String, _ json: String, header: String? = nil) throws -> [UInt8] {
        try translator.encode(
            message: message, parsing: Array(json.utf8), header: header.map { Array($0.utf8) }, from: .client)
    }

    func send(_ message: String, _ json: String, header: String? = nil) async throws {
        try await connection.send(packet: packet(message, json, header: header))
    }

    /// The next message's name and fields, as `Sc_1 {"ok":1}`; nil after the server has ended.
    func next() async throws -> String? {
        guard let packet = try await connection.next() else { return nil }
        let line = try translator.decode(packet.lent, from: .server)
        guard case .string(let name)? = line["message"] else { return "ID \(line["id"] ?? .null)" }
        return "\(name) \(line["fields"] ?? .null)"
    }

    /// All messages until the server has ended.
    func rest() async throws -> [String] {
        var lines: [String] = []
        while let line = try await next() { lines.append(line) }
        return lines
    }

    func ask(_ message: String, _ json: String) async throws -> String? {
        try await send(message, json)
        return try await next()
    }
}

/// A protocol with a field in its header for each possible fault.
let gameSchema = """
    packet {
        @length(packet)  uint32 Length;
        @constant(0x7E)  uint8 Mark;
        @default(1)      uint8 Version;
        @id              uint16 Id;
        @sequence        uint16 Sequence;
        payload;
        @checksum(crc32) uint32 Crc;
    }
    enum Kind : uint8 { none = 0; gold = 1; }
    struct Item { uint16 id; uint8 count; }
    message Cs_1 { String user; }
    message Sc_1 { uint8 ok; String greeting; }
    message Cs_2 { uint32 number; Kind kind; uint64 big; Item[] items; optional String note; }
    message Sc_2 { uint32 number; Kind kind; uint64 big; Item[] items; optional String note; }
    @reply(Sc_1 | Tick) message Cs_3 {}
    @id(9) @from(server) message Tick { uint32 number; String text; }

    """
