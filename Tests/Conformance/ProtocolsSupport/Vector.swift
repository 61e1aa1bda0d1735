// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import WirelineCodec
package import WirelineSchema

/// A golden vector: a packet in hexadecimal, with comments, and what it is.
///
///     Protocols/<Name>/Vectors/<case>.hex, .json             decoding and encoding
///     Protocols/<Name>/Vectors/DecodeOnly/<case>.hex, .json  decoding: encoding gives other bytes, or more of them
///     Protocols/<Name>/Vectors/Invalid/<case>.hex, .txt      refused, with this error
///
/// The JSON is the line that `wire decode` prints. A comment `# from server` says who sends, where that is not plain from
/// the message's name.
package struct Vector: Sendable {
    package enum Kind: String, CaseIterable {
        case exact = ""
        case decodeOnly = "DecodeOnly"
        case invalid = "Invalid"
    }

    package let folder: ProtocolFolder
    package let kind: Kind
    package let hexFile: URL

    /// `Modbus/coils`
    package var name: String { folder.name + "/" + hexFile.deletingPathExtension().lastPathComponent }

    package static let exact = all(.exact)
    package static let decodeOnly = all(.decodeOnly)
    package static let invalid = all(.invalid)
    package static let decodable = exact + decodeOnly

    private static func all(_ kind: Kind) -> [Vector] {
        ProtocolFolder.all.flatMap { $0.vectors(kind) }
    }

    // MARK: What the files hold

    private func hexText() throws -> String { try String(contentsOf: hexFile, encoding: .utf8) }

    package func bytes() throws -> [UInt8] { try Hexadecimal.bytes(of: try hexText()) }

    /// The line that `wire decode` prints.
    package func line() throws -> JSONValue {
        let file = hexFile.deletingPathExtension().appendingPathExtension("json")
        return try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
    }

    /// The error that an invalid one gives.
    package func errorLine() throws -> String {
        let file = hexFile.deletingPathExtension().appendingPathExtension("txt")
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
    }

    /// Who sends the packet, and the states of the connection then: `# state started=1`.
    package func context() throws -> PacketContext {
        let mark = "# state "
        let texts = try hexText().split(separator: "\n").filter { $0.hasPrefix(mark) }.map {
            String($0.dropFirst(mark.count))
        }
        let states = try folder.translator.description.states(settingAll: texts)
        return PacketContext(from: try sender(), states: states)
    }

    /// The keys of the connection's layers: `# key session=00ff`.
    package func keys() throws -> [LayerKey] {
        let mark = "# key "
        return try hexText().split(separator: "\n").filter { $0.hasPrefix(mark) }.compactMap { line in
            let words = line.dropFirst(mark.count).split(separator: "=")
            return LayerKey(words[0], try Hexadecimal.bytes(of: String(words[words.count - 1])))
        }
    }

    /// What reads and writes the folder's packets, with the vector's keys.
    package func translator() throws -> PacketTranslator { try folder.translator.withKeys(keys()) }

    /// Who sends the packet.
    package func sender() throws -> Sender {
        if try hexText().split(separator: "\n").contains("# from server") { return .server }
        guard kind != .invalid, case .string(let name)? = (try? line())?["message"] else { return .client }
        let senders = folder.translator.description.message(named: name)?.senders ?? [.client]
        return senders.contains(.client) ? .client : .server
    }
}

extension ProtocolFolder {
    package func vectors(_ kind: Vector.Kind) -> [Vector] {
        let folder = kind == .exact ? "Vectors" : "Vectors/" + kind.rawValue
        return files(extension: "hex", in: folder).map { Vector(folder: self, kind: kind, hexFile: $0) }
    }
}
