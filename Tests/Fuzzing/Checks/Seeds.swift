// SPDX-License-Identifier: Apache-2.0

import Foundation
import ProtocolsSupport
import TestingSupport
import WirelineCodec
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
    /// What the vectors and schemas of all protocols give this target to begin with.
    public func seeds() throws -> [Seed] {
        switch self {
        case .splitter: try Subject.all.indices.flatMap(Seed.streams)
        case .decoder, .translator: try Subject.all.indices.flatMap(Seed.packets)
        case .encoder: try Subject.all.indices.flatMap(Seed.lines)
        case .properties: try Seed.properties
        case .json: try Seed.texts
        case .schema: try Subject.all.map(Seed.schema)
        }
    }

    /// The findings of former runs, which are never to come back.
    public func regressions() throws -> [Seed] {
        let folder = ProtocolFolder.root.appending(path: "Tests/Fuzzing/Regressions/" + rawValue)
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
        let start: [UInt8] = [UInt8(place), 0, 3, 1, 7, 40]
        let stream = try vectors(subject, [.exact, .decodeOnly]).flatMap { try $0.bytes() }
        let invalid = try vectors(subject, [.invalid]).map { Seed($0.name, start + (try $0.bytes())) }
        return [Seed(subject.folder.name, start + stream)] + invalid
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
            let (bytes, sender) = (try vector.bytes(), try vector.sender())
            let selector = Input.wholePacket + (sender == .server ? 1 : 0)
            let whole = Seed(vector.name + "-whole", [UInt8(place), selector] + bytes)
            return [whole, payload(of: bytes, from: sender, of: place).map { Seed(vector.name, $0) }].compactMap(\.self)
        }
    }

    private static func payload(of bytes: [UInt8], from sender: Sender, of place: Int) -> [UInt8]? {
        let subject = Subject.all[place]
        do throws(CodecError) {
            let packet = try Packet(bytes.span.bytes, layout: subject.codecs.generated.layout)
            guard let role = subject.roles.firstIndex(where: { $0.id == packet.id && $0.sender == sender })
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
            let sender = try vector.sender()
            guard case .string(let name)? = line["message"],
                let role = subject.roles.firstIndex(where: { $0.name == name && $0.sender == sender })
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

    /// All files of a protocol.
    fileprivate static func schema(of subject: Subject) throws -> Seed {
        let files = try subject.folder.files(extension: "wire").map { [UInt8](try Data(contentsOf: $0)) }
        return Seed(subject.folder.name, Array(files.joined(separator: [0x1C])))
    }
}
