// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// Makes remarks about packets, for people.
struct PacketReader: Sendable {
    /// The limits: parts of a packet, bytes of a part, bytes of an unknown packet on a line, and bytes of a packet in a
    /// link.
    private static let (mostParts, mostBytes, mostLineBytes, mostPacketBytes) = (256, 1_024, 64, 16_384)

    let translator: PacketTranslator
    let keepsParts: Bool
    /// Whether notes contain the bytes of packets as they were sent.
    private let keepsPackets: Bool

    init(translator: PacketTranslator, keepsParts: Bool) {
        self.translator = translator
        self.keepsParts = keepsParts
        // A page has no transforms of a program. It decodes each packet alone, so it cannot continue a keystream.
        let isOpened = translator.description.layout.content.layers.allSatisfy {
            $0.kind.word != "custom" && !$0.kind.hasLastingKeystream
        }
        keepsPackets = keepsParts && isOpened
    }

    var description: ProtocolDescription { translator.description }

    /// A message that only the other side may send is decoded as well, and the note says so.
    func note(on packet: borrowing Packet, from sender: Sender) -> TrafficNote {
        let annotation: PacketAnnotation
        do throws(CodecError) {
            annotation = try translator.annotate(
                packet, preferring: sender,
                maximumPartCount: keepsParts ? Self.mostParts : PacketAnnotation.mostShownParts)
        } catch {
            return note(on: error, from: sender)
        }
        let header = header(of: packet)
        let unknown = "unknown ID \(packet.id) (\(Self.hexadecimal(packet.id)))"
        guard let name = annotation.message else {
            let words = [unknown, header, shown(packet.payload)]
            var note = TrafficNote(.unknown, Self.line(words), of: sender)
            note.parts = parts(of: annotation, in: packet, hidesValues: false)
            if !translator.hasContent { note.packet = wholePacket(packet) }
            return note
        }
        let hidesValues = description.hidesValues(ofMessage: name)
        let isForeign = description.message(id: packet.id, from: sender) == nil
        let title = isForeign ? "\(unknown), read as the \(sender.peer)s' \(name)" : name
        let fields = annotation.shownFields(hidingValues: hidesValues)
        let kind = isForeign ? TrafficNote.Kind.unknown : annotation.fault == nil ? .packet : .fault
        var note = TrafficNote(kind, Self.line([title, header, fields]), of: sender)
        if !isForeign {
            note.message = TrafficNote.Message(name: name, sequence: try? description.layout.sequence(of: packet))
        }
        note.parts = parts(of: annotation, in: packet, hidesValues: hidesValues)
        if !hidesValues, !translator.hasContent { note.packet = wholePacket(packet) }
        return note
    }

    /// Returns a note about bytes that are not a packet.
    ///
    /// - Parameter consequence: What happens to the bytes that follow.
    func note(on error: CodecError, from sender: Sender, _ consequence: String = "") -> TrafficNote {
        let hidesValues = description.hidesValues
        let reason = error.shownText(hidingValues: hidesValues)
        var note = TrafficNote(
            .fault, consequence.isEmpty ? reason : "no packets: \(reason); \(consequence)", of: sender)
        if keepsParts, !error.bytes.isEmpty {
            let digits = hidesValues ? HiddenValue.text : Hexadecimal.text(of: error.bytes)
            note.parts = [TrafficNote.Part(offset: 0, digits: digits, path: "", text: reason, isFault: true)]
        }
        return note
    }

    /// Returns the number of bytes, and the first of them.
    func shown(_ payload: RawSpan) -> String {
        let digits = Hexadecimal.text(of: [UInt8](copying: payload.extracting(first: Self.mostLineBytes)))
        let rest = payload.byteCount > Self.mostLineBytes ? "…" : ""
        return Self.line([payload.byteCount.counted("byte"), digits + rest])
    }

    func header(of packet: borrowing Packet) -> String {
        let layout = description.layout
        let fields = ((try? layout.header(of: packet))?.fields ?? []).compactMap { field in
            layout.fields.firstIndex { $0.name == field.name }.map { index in
                "\(field.name): \(translator.json(of: field.value, inPacketField: index))"
            }
        }
        return fields.isEmpty ? "" : "{" + fields.joined(separator: ", ") + "}"
    }

    static func line(_ words: [String]) -> String { words.filter { !$0.isEmpty }.joined(separator: " ") }

    /// Returns `0x` and an even number of digits.
    private static func hexadecimal(_ id: UInt64) -> String {
        let digits = String(id, radix: 16, uppercase: true)
        return "0x" + (digits.count % 2 == 0 ? "" : "0") + digits
    }

    /// Returns the bytes of a packet as they were sent. Empty if they are too long for a link, or if no page shows
    /// them.
    ///
    /// The packet must not be one that was opened.
    func wholePacket(_ packet: borrowing Packet) -> [UInt8] {
        guard keepsPackets, packet.bytes.byteCount <= Self.mostPacketBytes else { return [] }
        return description.layout.framed(packet.bytes)
    }

    // MARK: Parts

    private func parts(
        of annotation: PacketAnnotation, in packet: borrowing Packet, hidesValues: Bool
    ) -> [TrafficNote.Part] {
        guard keepsParts else { return [] }
        let bytes = [UInt8](copying: packet.bytes)
        var parts = annotation.parts.map { part in
            let (start, end) = (part.range.lowerBound, part.range.upperBound)
            let content = bytes[(start + part.prefixByteCount)..<end]
            let prefix = Hexadecimal.text(of: Array(bytes[start..<start + part.prefixByteCount]))
            let digits = part.digits(in: bytes) ?? (prefix.isEmpty ? "" : prefix + " ") + Self.digits(content)
            return TrafficNote.Part(
                offset: start, digits: part.isSensitive ? HiddenValue.text : digits, path: part.path,
                text: part.shownText)
        }
        if let fault = annotation.fault { parts = Self.insert(fault, into: parts, annotation, bytes, hidesValues) }
        if annotation.omittedPartCount > 0 {
            let text = annotation.omittedPartCount.counted("more part")
            parts.append(TrafficNote.Part(offset: bytes.count, digits: "", path: "…", text: text))
        }
        return parts
    }

    /// Inserts a part for the bytes that could not be decoded, with the reason.
    private static func insert(
        _ fault: CodecError, into parts: [TrafficNote.Part], _ annotation: PacketAnnotation, _ bytes: [UInt8],
        _ hidesValues: Bool
    ) -> [TrafficNote.Part] {
        // If there is a trailer, it was decoded, and stands after the first gap.
        var (start, index) = (0, 0)
        for part in annotation.parts where part.range.lowerBound <= start {
            start = max(start, part.range.upperBound)
            index += 1
        }
        let end = index < annotation.parts.count ? annotation.parts[index].range.lowerBound : bytes.count
        let digits = hidesValues && start < end ? HiddenValue.text : Self.digits(bytes[start..<end])
        let reason = CodecError(fault.reason, offset: fault.offset).shownText(hidingValues: hidesValues)
        let part = TrafficNote.Part(offset: start, digits: digits, path: fault.path, text: reason, isFault: true)
        return parts[..<index] + [part] + parts[index...]
    }

    static func digits(_ bytes: ArraySlice<UInt8>) -> String {
        Hexadecimal.text(of: Array(bytes.prefix(mostBytes))) + (bytes.count > mostBytes ? "…" : "")
    }
}
