// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// Passes captures to tshark with the dissector of a protocol, and compares what it shows with what the codec finds.
struct SharkJudge {
    let translator: PacketTranslator
    /// Translators with the messages of one side only; the ports show who sends.
    let translators: [Sender: PacketTranslator]
    /// The dissector.
    let script: String
    /// The protocol's name in filters.
    let name: String
    private var description: ProtocolDescription { translator.description }

    init(_ translator: PacketTranslator) {
        self.translator = translator
        var translators: [Sender: PacketTranslator] = [:]
        for sender in Sender.allCases {
            var description = translator.description
            description.messages.removeAll { !$0.senders.contains(sender) }
            for index in description.messages.indices { description.messages[index].senders = [sender] }
            translators[sender] = PacketTranslator(description)
        }
        self.translators = translators
        let generator = WiresharkGenerator(translator.description)
        script = generator.files()[0].text
        name = generator.filter
    }

    /// What tshark shows, by the number of the connection, in the order of the frames.
    func sights(
        in capture: CaptureFile, _ arguments: [String]? = nil
    ) throws -> [Int: [PacketSight]] {
        let text = try SharkTool.read(
            capture.bytes, script: script,
            (arguments ?? ["-o", "\(name).server_ports:\(CaptureFile.serverPort)"])
                + ["-o", "tcp.reassemble_out_of_order:TRUE", "-T", "pdml", "-J", name])
        var result: [Int: [PacketSight]] = [:]
        let frames = try PacketDetails.frames(in: text)
        #expect(frames.count == capture.connections.count)
        for (frame, connection) in zip(frames, capture.connections) {
            for item in frame.children where item.name == name {
                result[connection, default: []].append(PacketSight(item, description))
            }
        }
        return result
    }

    /// The first difference in a stream of one side; nil if there is none.
    func disagreement(of sights: [PacketSight], on stream: [UInt8], from sender: Sender) -> String? {
        var sights = sights[...]
        var splitter = PacketSplitter(description, in: PacketContext(from: sender))
        var position = 0
        while position < stream.count {
            let start = position
            do throws(CodecError) {
                guard let (packet, bounds) = try splitter.nextPacket(in: stream, from: &position) else { break }
                guard let sight = sights.popFirst() else { return "the packet before \(position) is not shown" }
                if let difference = try disagreement(of: sight, on: packet, bounds, from: sender) {
                    return "\(Hexadecimal.text(of: packet)) from \(sender): \(difference)"
                }
            } catch {
                // The position of the next packet is unknown; the dissector may still try.
                let difference = disagreement(of: sights.first?.fault, on: error)
                return difference.map { "\(Hexadecimal.text(of: Array(stream[start...]))): \($0)" }
            }
        }
        return sights.isEmpty ? nil : "\(sights.count) more packets are shown in \(Hexadecimal.text(of: stream))"
    }

    /// The first difference in a conversation, in which packets of both sides take turns; nil if there is none.
    func disagreement(of sights: [PacketSight], on packets: [(context: PacketContext, bytes: [UInt8])]) -> String? {
        guard sights.count == packets.count else { return "\(sights.count) packets are shown of \(packets.count)" }
        for (sight, (context, bytes)) in zip(sights, packets) {
            var splitter = PacketSplitter(description, in: context)
            var position = 0
            do throws(CodecError) {
                guard let (packet, bounds) = try splitter.nextPacket(in: bytes, from: &position) else {
                    return "\(Hexadecimal.text(of: bytes)) is not whole"
                }
                if let difference = try disagreement(of: sight, on: packet, bounds, from: context.sender) {
                    return "\(Hexadecimal.text(of: packet)) in \(context): \(difference)"
                }
            } catch {
                return "\(Hexadecimal.text(of: bytes)) in \(context): \(error)"
            }
        }
        return nil
    }

    private func disagreement(
        of sight: PacketSight, on packet: [UInt8], _ bounds: PacketBounds, from sender: Sender
    ) throws(CodecError) -> String? {
        guard sight.sender == sender else { return "its sender is \(sight.sender.map(\.rawValue) ?? "nobody")" }
        let isKnown = description.message(id: bounds.id, from: sender) != nil
        let notes = isKnown ? [] : ["note.unknown_message"]
        guard sight.notes == notes else { return "notes are \(sight.notes)" }
        guard let translator = translators[sender] else { return "nobody sends it" }
        let annotation = try translator.annotate(
            Packet(packet.rawSpan, bounds), preferring: sender, maximumPartCount: 100_000)
        return disagreement(of: sight.fault, on: annotation.fault) ?? sight.disagreement(with: annotation, of: packet)
    }

    /// The difference in what is wrong with a packet; nil if there is none.
    func disagreement(of fault: (reason: String, text: String)?, on error: CodecError?) -> String? {
        switch (fault, error) {
        case (nil, nil): return nil
        case (let fault?, nil): return "it is refused: \(fault.text)"
        case (nil, let error?): return "it is not refused: \(error)"
        case (let fault?, let error?):
            let place = error.offset.map { " at offset \($0)" } ?? ""
            switch error.reason {
            case .floatOutOfRange, .duplicateKey, .invalidProperty:
                // The dissector has its own digits of floats and its own escapes of texts.
                let isSame = fault.text.hasPrefix(error.path + ": ") && fault.text.hasSuffix(place)
                return isSame ? nil : "it is refused with `\(fault.text)`, not with `\(error)`"
            case .layerUnavailable:
                // What it lacks is its own.
                let isSame = fault.text.hasPrefix(error.path + ": the layer is not available: ")
                return isSame ? nil : "it is refused with `\(fault.text)`, not with `\(error)`"
            default:
                // Only the tool guesses what the bytes look like instead of a packet.
                let description = error.description
                let isSame = description == fault.text || description.hasPrefix(fault.text + "; ")
                return isSame ? nil : "it is refused with `\(fault.text)`, not with `\(error)`"
            }
        }
    }
}
