// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// Any files are answered, alike in any order, with problems that stand inside them; of a schema without errors Swift is
/// generated, and its messages are decoded and encoded.
///
/// Files end at a byte 0x1C, ASCII's file separator.
enum SchemaCheck {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let files = bytes.split(separator: 0x1C, maxSplits: 7, omittingEmptySubsequences: false).enumerated()
            .map { SourceFile(path: "f\($0).wire", bytes: Array($1)) }
        let result = ProtocolDescription.check(name: "Fuzzed", files: files)
        let reversed = ProtocolDescription.check(name: "Fuzzed", files: files.reversed())
        try require(result == reversed, "two orders of the files: \(result), \(reversed)")
        try require(
            result.isValid != result.diagnostics.contains { $0.severity == .error },
            "valid: \(result.isValid), with \(result.renderedDiagnostics())")
        let lines = files.map { Self.lines(of: $0.bytes) }
        for diagnostic in result.diagnostics {
            guard let file = files.firstIndex(where: { $0.path == diagnostic.location.file }) else {
                throw Finding("\(diagnostic) is nowhere")
            }
            try verify(diagnostic, in: lines[file])
        }
        let isRendered = !result.renderedDiagnostics().isEmpty
        try require(isRendered != result.diagnostics.isEmpty, "problems that are not rendered")
        guard let description = result.description else { return }
        let generated = SwiftGenerator(description, fileNames: files.map(\.path)).files()
        try require(generated.count == files.count + 1, "\(generated.count) files of Swift for \(files.count)")
        try SchemaUse(description).check(payload: bytes)
    }

    private static func verify(_ diagnostic: Diagnostic, in lines: [ArraySlice<UInt8>]) throws(Finding) {
        let location = diagnostic.location
        try require(1...lines.count ~= location.line, "\(diagnostic) in \(lines.count) lines")
        let line = lines[location.line - 1]
        // The end of a line, and of a file, is a place too.
        try require(1...line.count + 1 ~= location.column, "\(diagnostic) in a line of \(line.count)")
        let markedEnd = line.startIndex + location.column - 1 + diagnostic.byteCount
        let isThere = diagnostic.byteCount >= 0 && markedEnd <= lines[lines.count - 1].endIndex
        try require(isThere, "\(diagnostic) marks what is not there")
        let excerpt = diagnostic.excerpt
        let isPrintable = excerpt.text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        try require(isPrintable && excerpt.caretColumn >= 0 && excerpt.caretWidth >= 1, "an excerpt \(excerpt)")
        let hasCaret = diagnostic.rendered().utf8.contains(UInt8(ascii: "^"))
        try require(!diagnostic.message.isEmpty && hasCaret, "\(diagnostic) says nothing")
    }

    /// Lines, with what ends them, and without a byte order mark.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        var lines: [ArraySlice<UInt8>] = []
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            let isPair = rest[end] == UInt8(ascii: "\r") && rest.dropFirst(end - rest.startIndex + 1).first == 0x0A
            let next = end + (isPair ? 2 : 1)
            lines.append(rest[..<next])
            rest = rest[next...]
        }
        return lines + [rest]
    }
}

/// Uses a schema that nobody has written on packets that nobody has sent.
private struct SchemaUse {
    private let translator: PacketTranslator

    init(_ description: ProtocolDescription) { translator = PacketTranslator(description) }

    func check(payload: [UInt8]) throws(Finding) {
        // Zeros are a value of nearly every type; the schema's own text is as good as random.
        let payloads = [Array(repeating: 0, count: 64), Array(payload.suffix(40))]
        for (index, message) in translator.description.messages.prefix(8).enumerated() {
            guard let context = translator.description.contexts(ofExamplesOf: index).first else {
                throw Finding("nobody sends \(message.name)")
            }
            for payload in payloads { try check(payload, of: message, in: context) }
        }
    }

    private func check(_ payload: [UInt8], of message: MessageDescription, in context: PacketContext) throws(Finding) {
        let packet: [UInt8]
        do throws(CodecError) {
            let limit = translator.description.options.maximumPacketByteCount
            let layout = translator.description.layout.layout(in: context)
            packet = try layout.encode(id: message.id, payload: payload.span.bytes, limit: limit)
        } catch {
            // Too long for the protocol.
            return try require(error.reason.isOfLength, "\(message.name) has no packet: \(error)")
        }
        try TranslatorCheck(translator: translator).check(packet, in: context)
    }
}
