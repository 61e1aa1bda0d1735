// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// An input to begin with.
public struct Seed: Sendable {
    /// A file name.
    public let name: String
    public let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = String(name.map { $0 == "/" ? "-" : $0 })
        self.bytes = bytes
    }
}

extension FuzzTarget {
    /// Whether its seeds come from the files of all protocols.
    public var isOfProtocols: Bool {
        switch self {
        case .splitter, .decoder, .translator, .encoder, .json, .schema, .websocket, .record, .recordterm: true
        case .properties, .handshake, .zlib, .deflate, .gzip, .brotli, .xor, .rc4, .aesctr, .aescbc, .opener,
            .erlangterm, .erlangtext, .erlangstream, .erlangnode:
            false
        }
    }

    /// What the vectors and schemas of all protocols give this target to begin with.
    public func seeds() throws -> [Seed] {
        switch self {
        case .splitter: try Subject.all.indices.flatMap(Seed.streams)
        case .decoder, .translator, .record: try Subject.all.indices.flatMap(Seed.packets)
        case .encoder: try Subject.all.indices.flatMap(Seed.lines)
        case .properties: try Seed.properties
        case .json: try Seed.texts
        case .schema: try Subject.all.map(Seed.schema)
        case .websocket: Seed.frames
        case .handshake: Seed.handshakes
        case .zlib: Seed.streams(of: .zlib)
        case .deflate: Seed.streams(of: .deflate)
        case .gzip: Seed.streams(of: .gzip)
        case .brotli: Seed.streams(of: .brotli)
        case .xor, .rc4, .aesctr, .aescbc: Seed.encrypted
        case .opener: try Seed.layeredPackets
        case .erlangterm: Seed.erlangTerms
        case .erlangtext: Seed.erlangTexts
        case .erlangstream: Seed.erlangStreams
        case .erlangnode: Seed.erlangNodes
        case .recordterm: try Subject.all.indices.flatMap(Seed.recordTerms)
        }
    }

    /// The findings of former runs, which are never to come back.
    public func regressions() throws -> [Seed] {
        let folder = Checkout.url("Tests/Programs/Fuzzing/Regressions/" + rawValue)
        guard FileManager.default.fileExists(atPath: folder.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            .map { Seed($0.lastPathComponent, [UInt8](try Data(contentsOf: $0))) }
    }
}

extension Seed {
    private static let kinds = Vector.Kind.allCases

    private static func vectors(_ subject: Subject, _ kinds: [Vector.Kind] = kinds) -> [Vector] {
        kinds.flatMap(subject.folder.vectors)
    }

    /// All good packets of a protocol, one after another, in three pieces of a cut; and what is wrong, alone.
    fileprivate static func streams(of place: Int) throws -> [Seed] {
        let subject = Subject.all[place]
        let isBySender = subject.translator.description.layout.dependsOnContext
        return try (isBySender ? Sender.allCases : [.client]).flatMap { sender in
            let start: [UInt8] = [UInt8(place), 0, sender == .client ? 3 : 0x43, 1, 7, 40]
            // The splitter begins with all states at 0.
            let isOwn = { (vector: Vector) in try !isBySender || vector.context() == PacketContext(from: sender) }
            let stream = try vectors(subject, [.exact, .decodeOnly]).filter(isOwn).flatMap { try $0.bytes() }
            let invalid = try vectors(subject, [.invalid]).filter(isOwn).map { Seed($0.name, start + (try $0.bytes())) }
            return [Seed(subject.folder.name + (isBySender ? "-\(sender)" : ""), start + stream)] + invalid
        }
    }

    /// Each vector as a packet and, where there is one, as the payload of its message; without vectors zeros for each.
    fileprivate static func packets(of place: Int) throws -> [Seed] {
        let subject = Subject.all[place]
        let vectors = vectors(subject)
        guard !vectors.isEmpty else {
            let zeros = [UInt8](repeating: 0, count: 64)
            return zip(0..., subject.roles).map { Seed("\($1.name)-\($1.sender)", [UInt8(place), $0] + zeros) }
        }
        return try vectors.flatMap { vector in
            let (bytes, context) = (try vector.bytes(), subject.nearest(to: try vector.context()))
            let selector = Input.wholePacket + UInt8(subject.contexts.firstIndex(of: context) ?? 0)
            let whole = Seed(vector.name + "-whole", [UInt8(place), selector] + bytes)
            return [whole, payload(of: bytes, in: context, of: place).map { Seed(vector.name, $0) }].compactMap(\.self)
        }
    }

    private static func payload(of bytes: [UInt8], in context: PacketContext, of place: Int) -> [UInt8]? {
        let subject = Subject.all[place]
        do throws(CodecError) {
            let layout = subject.codecs.generated.layout.layout(in: context)
            let content = try layout.unframed(bytes)
            let packet = try Packet(content.rawSpan, layout: layout)
            guard let role = subject.roles.firstIndex(where: { $0.id == packet.id && $0.context == context })
            else { return nil }
            return [UInt8(place), UInt8(role)] + [UInt8](copying: packet.payload)
        } catch {
            return nil
        }
    }

    /// The lines of all packets whose message is known.
    fileprivate static func lines(of place: Int) throws -> [Seed] {
        let subject = Subject.all[place]
        return try vectors(subject, [.exact, .decodeOnly]).compactMap { vector in
            let line = try vector.line()
            let context = subject.nearest(to: try vector.context())
            guard case .string(let name)? = line["message"],
                let role = subject.roles.firstIndex(where: { $0.name == name && $0.context == context })
            else { return nil }
            return Seed(vector.name, [UInt8(place), UInt8(role)] + Array(line.description.utf8))
        }
    }

    fileprivate static var properties: [Seed] {
        get throws {
            let written = [
                "", "a:1", "a:1\nb:2", "a:1\nb:2\n", "a:1\n\nb:2", "a:1\na:2", "a", ":1", "url:http://a:80", "键:值",
                "\u{E9}:1\ne\u{301}:2", "a:1\r\nb:2",
            ].enumerated().map { Seed("lines-\($0)", [0] + Array($1.utf8)) }
            let subject = Subject.all.first { $0.folder.name == "QSIOP" }
            let sent = try subject.map { try vectors($0).map { Seed($0.name, [0] + (try $0.bytes()).dropFirst(6)) } }
            return written + (sent ?? [])
        }
    }

    fileprivate static var texts: [Seed] {
        get throws {
            let written = [
                #"{"a":[1,-0.5e+3,true,false,null,"\u00e9\ud83d\ude00\n"]}"#, "[[[[[[[[[[]]]]]]]]]]", #"{"a":1,"a":2}"#,
                "\u{FEFF}1", #""\ud800""#, "01", "1e999", "\"\u{202E}\"",
            ].enumerated().map { Seed("text-\($0)", [UInt8.max] + Array($1.utf8)) }
            let lines = try Subject.all.flatMap { vectors($0, [.exact, .decodeOnly]) }
                .map { Seed($0.name, [UInt8.max] + Array(try $0.line().description.utf8)) }
            return written + lines
        }
    }

    /// Frames as RFC 6455 §5.7 and RFC 7692 §7.2.3 have them, and others, in every manner.
    fileprivate static var frames: [Seed] {
        let streams: [[UInt8]] = [
            [0x81, 0x05] + Array("Hello".utf8), [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
            [0x01, 0x03, 0x48, 0x65, 0x6C, 0x89, 0x00, 0x80, 0x02, 0x6C, 0x6F, 0x88, 0x02, 0x03, 0xE8],
            [0x82, 0x7E, 0x00, 0x80] + [UInt8](repeating: 7, count: 128),
            [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00],
            [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x00],
        ]
        return streams.enumerated().flatMap { index, stream in
            (UInt8(0)..<8).map { Seed("frames-\(index)-\($0)", [$0 | 2 << 3, 30, 1, 5] + stream) }
        }
    }

    /// A request, an answer and addresses, each in two pieces of a cut.
    fileprivate static var handshakes: [Seed] {
        let request = """
            GET /chat?a=b HTTP/1.1\r\nHost: server.example.com:80\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Key: \(HandshakeCheck.key)\r\nSec-WebSocket-Version: 13\r\nOrigin: http://server.example.com\r\n\
            Sec-WebSocket-Protocol: chat, other\r\n\
            Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=10, x; y="z"\r\n\r\n
            """
        let answer = """
            HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: chat\r\n\
            Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=10\r\n\r\n
            """
        let refusals = [
            "HTTP/1.1 103 Early Hints\r\n\r\n" + answer, "HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n",
            "HTTP/1.1 401\r\nContent-Length: 4\r\n\r\nwho?",
            "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        ]
        let addresses = [
            "ws://example.com", "wss://u:p%40@Example.com:9443/a%20b?c=d", "http://[2001:db8::1.2.3.4]:80/",
            "https://1.2.3.4/", "ws://a?b", "ws://[::]/#", "ws://a:65535", "ws://xn--bcher-kva.example./", "ws://a/%",
            "ws://[1:2:3:4:5:6:7:8]", "ws://a_b/", "ws://@a",
        ]
        let texts = [(2, request)] + ([answer] + refusals).map { (0, $0) } + addresses.map { (4, $0) }
        return texts.enumerated().map { index, text in
            Seed("handshake-\(index)", [UInt8(text.0) | 2 << 3, 7, 50] + Array(text.1.utf8))
        }
    }

    /// All files of a protocol.
    fileprivate static func schema(of subject: Subject) throws -> Seed {
        let files = try subject.folder.files(extension: "wire").map { [UInt8](try Data(contentsOf: $0)) }
        return Seed(subject.folder.name, Array(files.joined(separator: [0x1C])))
    }
}
