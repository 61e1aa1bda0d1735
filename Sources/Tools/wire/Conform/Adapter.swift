// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// Runs this project's codec as a program for `wire conform --command`. It answers requests of ``HarnessLine``.
struct Adapter {
    let translator: PacketTranslator
    let protocolName: String

    func run(_ console: Console) throws(CommandError) {
        var rest: [UInt8] = []
        let codec = CodecImplementation(translator)
        try StandardInput.forEachPiece(console) { piece throws(CommandError) in
            var piece = piece[...]
            while let end = piece.firstIndex(of: UInt8(ascii: "\n")) {
                try console.print(reply(to: rest + piece[..<end], codec).description)
                rest = []
                piece = piece[(end + 1)...]
            }
            rest += piece
            guard rest.count <= Self.mostLineBytes else {
                throw .failure("a line has more than \(Self.mostLineBytes) bytes")
            }
        }
        // The last line may have no newline.
        if !rest.isEmpty { try console.print(reply(to: rest, codec).description) }
    }

    /// The limit of a line, in bytes. It is far above the largest packet in hexadecimal or as JSON.
    private static let mostLineBytes = 256 << 20

    private func reply(to line: [UInt8], _ codec: CodecImplementation) -> JSONValue {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: line, maximumDepth: translator.maximumJSONDepth + 2)
        } catch {
            return HarnessLine.line(of: .skipped("the line is no JSON: \(error)"), id: .null)
        }
        let id = json["id"] ?? .null
        if let name = json["protocol"], name != .string(protocolName) {
            return HarnessLine.line(of: .skipped("this adapter is of \(protocolName)"), id: id)
        }
        do throws(HarnessLine.Fault) {
            guard let request = try HarnessLine.request(json, translator.description) else {
                return HarnessLine.line(of: .skipped("this question is not known"), id: id)
            }
            return HarnessLine.line(of: codec.reply(to: request), id: id)
        } catch {
            return HarnessLine.line(of: .skipped(error.text), id: id)
        }
    }
}
