// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineCodec
import WirelineSchema

/// A golden vector: a packet in hexadecimal, with comments, and what it is.
///
///     Protocols/<Name>/Vectors/<case>.hex, .json             decoding and encoding
///     Protocols/<Name>/Vectors/DecodeOnly/<case>.hex, .json  decoding: encoding gives other bytes, or more of them
///     Protocols/<Name>/Vectors/Invalid/<case>.hex, .txt      refused, with this error
///
/// The JSON is the line that `wire decode` prints. A comment `# from server` says who sends, where that is not plain from
/// the message's name.
struct Vector: Sendable, CustomTestStringConvertible {
    enum Kind: String, CaseIterable {
        case exact = ""
        case decodeOnly = "DecodeOnly"
        case invalid = "Invalid"
    }

    let folder: ProtocolFolder
    let kind: Kind
    let hexFile: URL

    /// `Modbus/coils`
    var name: String { folder.name + "/" + hexFile.deletingPathExtension().lastPathComponent }
    var testDescription: String { name }

    static let exact = all(.exact)
    static let decodeOnly = all(.decodeOnly)
    static let invalid = all(.invalid)
    static let decodable = exact + decodeOnly

    private static func all(_ kind: Kind) -> [Vector] {
        ProtocolFolder.all.flatMap { $0.vectors(kind) }
    }

    // MARK: What the files hold

    private func hexText() throws -> String { try String(contentsOf: hexFile, encoding: .utf8) }

    func bytes() throws -> [UInt8] { try Hexadecimal.bytes(of: try hexText()) }

    /// The line that `wire decode` prints.
    func line() throws -> JSONValue {
        let file = hexFile.deletingPathExtension().appendingPathExtension("json")
        return try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
    }

    /// The error that an invalid one gives.
    func errorLine() throws -> String {
        let file = hexFile.deletingPathExtension().appendingPathExtension("txt")
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    /// Who sends the packet.
    func sender() throws -> Sender {
        if try hexText().split(separator: "\n").contains("# from server") { return .server }
        guard kind != .invalid, case .string(let name)? = (try? line())?["message"] else { return .client }
        let senders = folder.translator.description.message(named: name)?.senders ?? [.client]
        return senders.contains(.client) ? .client : .server
    }

    // MARK: Recording

    /// `RECORD_VECTORS=1` writes what the codec makes of the bytes in place of what it should make of them. The run fails,
    /// so that nobody takes it for a test; read the difference before you commit it.
    static let isRecording = ProcessInfo.processInfo.environment["RECORD_VECTORS"] == "1"

    func record(_ text: String) throws {
        let file = hexFile.deletingPathExtension().appendingPathExtension(kind == .invalid ? "txt" : "json")
        try Data((text + "\n").utf8).write(to: file)
        Issue.record("recorded \(name)")
    }
}

extension ProtocolFolder {
    func vectors(_ kind: Vector.Kind) -> [Vector] {
        let folder = kind == .exact ? "Vectors" : "Vectors/" + kind.rawValue
        return files(extension: "hex", in: folder).map { Vector(folder: self, kind: kind, hexFile: $0) }
    }
}
