// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import TestingSupport
import WirelineCodec
import WirelineSchema

/// What a packet is in JSON is printed, parsed and encoded to a packet that is the same in JSON; to the same bytes, where
/// the language has one way to write a message. The annotation of a packet covers it, and finds the decoder's fault.
///
/// The protocol's byte, then a packet: see ``Input/packet(of:)``.
struct TranslatorCheck {
    let translator: PacketTranslator

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = Input(bytes)
        let subject = input.subject()
        guard let packet = input.packet(of: subject) else { return }
        try TranslatorCheck(translator: subject.translator).check(packet.bytes, in: packet.context)
    }

    func check(_ packet: [UInt8], in context: PacketContext) throws(Finding) {
        guard let line = try decoded(packet, in: context) else { return }
        try verify(line: translator.settable(line), of: packet, in: context)
    }

    // MARK: Decoding

    /// The line of a packet; nil for one that is refused.
    private func decoded(_ bytes: [UInt8], in context: PacketContext) throws(Finding) -> JSONValue? {
        let description = translator.description
        let limit = description.options.maximumPacketByteCount
        let content: [UInt8]
        let annotation: PacketAnnotation
        let line: Result<JSONValue, CodecError>
        do throws(CodecError) {
            content = try description.layout.unframed(bytes, limit: limit)
            let layout = description.layout.layout(in: context)
            let packet = try Packet(content.rawSpan, layout: layout, limit: limit)
            annotation = try translator.annotate(packet, preferring: context.sender, maximumPartCount: .max)
            line = decode(packet, preferring: context.sender)
        } catch {
            return nil
        }
        try verify(annotation, of: content)
        switch line {
        case .success(let line):
            try require(annotation.fault == nil, "decoded, but annotated with \(String(describing: annotation.fault))")
            let message = annotation.message.map { JSONValue.string($0) } ?? .null
            try require(line["message"] == message, "annotated as \(message): \(line)")
            return line
        case .failure(let error):
            // By text: a reason that holds a NaN is not equal to itself.
            try require(annotation.fault?.description == error.description, "\(error), annotated \(annotation)")
            return nil
        }
    }

    private func decode(_ packet: borrowing Packet, preferring sender: Sender) -> Result<JSONValue, CodecError> {
        do throws(CodecError) {
            return .success(try translator.decode(packet, preferring: sender))
        } catch {
            return .failure(error)
        }
    }

    private func verify(_ annotation: PacketAnnotation, of bytes: [UInt8]) throws(Finding) {
        var end = 0
        var run = 0..<0
        for part in annotation.parts {
            // Fields that share bytes have the same ones.
            if let bits = part.bits, !bits.beginsRun {
                try require(part.range == run, "\(part) after \(run)")
                continue
            }
            run = part.range
            let isGood =
                !part.range.isEmpty && part.range.lowerBound >= end && part.range.upperBound <= bytes.count
                && part.prefixByteCount <= part.range.count && !part.text.isEmpty
            try require(isGood, "\(part) after byte \(end) of \(bytes.count)")
            try require(annotation.fault != nil || part.range.lowerBound == end, "a gap before \(part)")
            end = part.range.upperBound
        }
        try require(annotation.fault != nil || end == bytes.count, "annotated up to \(end) of \(bytes.count)")
    }

    // MARK: Encoding

    private func verify(line: JSONValue, of bytes: [UInt8], in context: PacketContext) throws(Finding) {
        let parsed: JSONValue
        do throws(JSONError) {
            parsed = try JSONValue(parsing: line.description, maximumDepth: translator.maximumJSONDepth)
        } catch {
            throw Finding("printed, but not parsed: \(error) in \(line)")
        }
        try require(parsed == line, "printed \(line), parsed \(parsed)")
        let isExact = isExact(line)
        guard let again = try encoded(line, in: context, mayGrow: !isExact) else { return }
        let other: JSONValue
        let isSame: Bool
        do throws(CodecError) {
            let options = translator.description.options
            let layout = translator.description.layout.layout(in: context)
            let content = try layout.unframed(again)
            // Empty marks may stand before the packet that was read.
            isSame = try content == layout.unframed(bytes)
            let packet = try Packet(content.rawSpan, layout: layout, limit: options.maximumPacketByteCount)
            other = try translator.decode(packet, preferring: context.sender)
        } catch {
            throw Finding("\(line) is encoded to \(Hexadecimal.text(of: again)), which is refused: \(error)")
        }
        try require(isSame || !isExact, "\(line) is encoded to \(Hexadecimal.text(of: again))")
        for key in ["message", "id", "fields", "trailing", "payload"] {
            try require(other[key] == line[key], "\(line) is encoded as \(other)")
        }
        try require(
            try encoded(translator.settable(other), in: context, mayGrow: false) == again,
            "\(other) is not encoded as before")
    }

    private func encoded(_ line: JSONValue, in context: PacketContext, mayGrow: Bool) throws(Finding) -> [UInt8]? {
        do throws(TranslationError) {
            return try translator.encode(line: line, from: context.sender, states: context.states)
        } catch {
            // What a reader skips may change the size with which an item begins.
            if mayGrow, case .value(let reason) = error.reason, reason.isOfLength || reason.isOfTerminator {
                return nil
            }
            throw Finding("\(line) was decoded, but is not encoded: \(error)")
        }
    }

    /// Whether only one packet means what this line says.
    private func isExact(_ line: JSONValue) -> Bool {
        // What follows the NUL of a text is not looked at.
        let hasTexts = translator.description.layout.fields.contains { field in
            if case .text(_, padding: 0) = field.format { true } else { false }
        }
        guard !hasTexts else { return false }
        guard case .string(let name)? = line["message"] else { return true }
        guard let message = translator.description.message(named: name) else { return false }
        // JSON keeps of a NaN only that it is one.
        return OneWayTypes(translator.description).contain(message.fields) && !line.description.contains("\"NaN\"")
    }
}

extension CodecError.Reason {
    fileprivate var isOfTerminator: Bool { if case .beginsWithTerminator = self { true } else { false } }
}

/// Tells which types have one way only to write each value.
private struct OneWayTypes {
    private let description: ProtocolDescription
    /// Structures and unions that are being looked at, or have been found good.
    private var passed: Set<Int> = []

    init(_ description: ProtocolDescription) { self.description = description }

    func contain(_ fields: [FieldDescription]) -> Bool {
        var types = self
        return types.areOneWay(fields)
    }

    private mutating func areOneWay(_ fields: [FieldDescription]) -> Bool {
        for field in fields {
            // A field that has come later is written even where it was not there.
            if case .since = field.presence { return false }
            if field.role == .padding { return false }
            // The tag of a union that is not there can be any number.
            if field.tagField != nil, field.presence != .required { return false }
            if !isOneWay(field.type) { return false }
        }
        return true
    }

    private mutating func isOneWay(_ type: TypeDescription) -> Bool {
        switch type {
        // The last line may end in a line feed.
        case .properties: return false
        // What follows the NUL that ends the text is not looked at.
        case .string(.fixed(_, 0)), .utf16(.fixed(_, 0), _): return false
        case .structure(let index):
            let structure = description.structures[index]
            // After the last known field of a sized structure there may be bytes that are skipped.
            guard structure.sizePrefix == nil else { return false }
            return !passed.insert(index).inserted || areOneWay(structure.fields)
        case .union(let index):
            let union = description.unions[index]
            // Unions come after structures, so that their indices are others.
            guard union.sizePrefix == nil else { return false }
            let body = description.structures.count + index
            return !passed.insert(body).inserted || areOneWay(union.arms.compactMap(\.field))
        // What follows a structure or a union inside its bytes is skipped.
        case .sized(.structure, _), .sized(.union, _): return false
        case .fixedList(let element, _), .list(let element, _), .sized(let element, _): return isOneWay(element)
        default: return true
        }
    }
}
