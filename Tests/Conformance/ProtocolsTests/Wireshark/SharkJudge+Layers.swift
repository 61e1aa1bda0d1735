// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Packets with layers.
extension SharkJudge {
    /// Returns what can open what dissectors can: without keys of AES, and with a transform in brotli's place that nobody
    /// has.
    static func reference(_ sample: LayeredProtocol) throws -> PacketTranslator {
        var description = try sample.translator().description
        let layout = description.layout
        var content = layout.content
        for index in content.layers.indices where content.layers[index].kind == .brotli {
            content.layers[index].kind = .custom("brotli")
        }
        description.layout = try PacketLayout(
            framing: layout.framing, states: layout.states, stateChanges: layout.stateChanges, header: layout.header,
            content: content, trailer: layout.trailer)
        let keys = try sample.keys.filter { layout.takesKey($0.key) }.compactMap { name, digits in
            try LayerKey(name, Hexadecimal.bytes(of: digits))
        }
        return try PacketTranslator(description).withKeys(keys)
    }

    /// Preferences with keys and with the states of a new connection, in digits.
    func arguments(keys: [String: String] = [:], states: PacketStates = PacketStates()) -> [String] {
        let keys = keys.filter { translator.description.layout.takesKey($0.key) }
        let preferences =
            ["server_ports:\(CaptureFile.serverPort)"] + keys.map { "key_\(Self.word($0.key)):\($0.value)" }
            + states.names.map { "state_\(Self.word($0)):\(states[$0])" }
        return preferences.flatMap { ["-o", "\(name).\($0)"] }
    }

    /// A name with small letters: `StreamKey` is `stream_key`.
    private static func word(_ name: String) -> String {
        name.reduce("") { $0 + ($1.isUppercase && !$0.isEmpty ? "_" : "") + $1.lowercased() }
    }

    /// The first difference in a conversation; nil if there is none.
    func disagreement(
        ofOpened sights: [PacketSight], on packets: [RandomConversation.Packet]
    ) -> String? {
        guard sights.count == packets.count else { return "\(sights.count) packets are shown of \(packets.count)" }
        let opened = OpenedConversation(translator)
        var lost: Set<Sender> = []
        for (sight, packet) in zip(sights, packets) {
            let sender = packet.context.sender
            opened.receive(packet.bytes, from: sender)
            do throws(CodecError) {
                guard let (sealed, packets) = try opened.next(from: sender) else { return "a packet is not whole" }
                // The dissector has lost its place in a keystream, and says so.
                if lost.contains(sender) { continue }
                if let difference = disagreement(of: sight, on: sealed, packets, from: sender) {
                    return "\(packet.line) in \(packet.context): \(difference)"
                }
                guard packets.failure != nil, translator.description.layout.hasKeystreams else { continue }
                // So it does not see what sets the states of both sides, either.
                if translator.description.layout.hasStates { return nil }
                lost.insert(sender)
            } catch {
                return "\(packet.line): \(error)"
            }
        }
        return nil
    }

    /// The first difference in a stream of one side, which begins in these states; nil if there is none.
    func disagreement(
        ofOpened sights: [PacketSight], on stream: [UInt8], in context: PacketContext
    ) -> String? {
        var sights = sights[...]
        let opened = OpenedConversation(translator, states: context.states)
        opened.receive(stream, from: context.sender)
        do throws(CodecError) {
            while let (sealed, packets) = try opened.next(from: context.sender) {
                guard let sight = sights.popFirst() else { return "a packet is not shown" }
                if let difference = disagreement(of: sight, on: sealed, packets, from: context.sender) {
                    return "\(Hexadecimal.text(of: sealed.content)) in \(context): \(difference)"
                }
                // A connection ends there; the dissector goes on.
                if packets.failure != nil { return nil }
            }
        } catch {
            return disagreement(of: sights.first?.fault, on: error).map { "\(Hexadecimal.text(of: stream)): \($0)" }
        }
        return sights.isEmpty ? nil : "\(sights.count) more packets are shown in \(Hexadecimal.text(of: stream))"
    }

    /// The first difference in a packet, and in those inside of it; nil if there is none.
    func disagreement(
        of sight: PacketSight, on sealed: OpenedStream.SealedPacket, _ packets: OpenedPackets, from sender: Sender
    ) -> String? {
        guard let translator = translators[sender] else { return "nobody sends it" }
        var sights: [PacketSight] = []
        var (fault, unknownCount) = (CodecError?.none, 0)
        for (index, entry) in packets.entries.enumerated() {
            let siblings = entry.parent.map { sights[$0].inner } ?? [sight]
            guard entry.position < siblings.count else { return "\(packets.path(of: index)) is not shown" }
            let own = siblings[entry.position]
            sights.append(own)
            if own.id != "\(entry.bounds.id)" { return "its ID is \(own.id ?? "unknown"), not \(entry.bounds.id)" }
            let annotation: PacketAnnotation
            do {
                annotation = try packets.withPacket(at: index) { packet in
                    var annotation = try translator.annotate(packet, preferring: sender, maximumPartCount: 100_000)
                    if annotation.message != nil { annotation.countFields(from: packet.contentStart) }
                    return annotation
                }
            } catch {
                return "\(error)"
            }
            var expected = annotation
            if entry.kind == .packets {
                expected.parts.removeAll { $0.kind != .header }
                expected.fault = nil
            } else if entry.kind == .message, annotation.message == nil {
                unknownCount += 1
            }
            let bytes = packets.buffers[entry.buffer][entry.start..<entry.start + entry.bounds.packetByteCount]
            if let difference = own.disagreement(with: expected, of: Array(bytes)) { return difference }
            let path = packets.path(of: index)
            if fault == nil { fault = expected.fault.map { path.isEmpty ? $0 : $0.prefixed(by: path) } }
        }
        fault = fault ?? packets.failure
        if let difference = disagreement(of: sight.fault, on: fault) { return difference }
        guard sight.fault?.reason == fault?.reason.kind else { return "its fault is \(sight.fault?.reason ?? "none")" }
        guard packets.failure == nil else {
            // What was not opened is shown with its bytes.
            let payload = Hexadecimal.text(
                of: Array(sealed.content[sealed.bounds.payloadStart..<sealed.bounds.payloadEnd]))
            let isShown = sight.sealedBytes.map { payload.hasSuffix($0) } ?? false
            return isShown || sight.isOpened || !packets.entries.isEmpty ? nil : "its sealed bytes are not shown"
        }
        let notes = Array(repeating: "note.unknown_message", count: unknownCount)
        return sight.notes == notes ? nil : "notes are \(sight.notes), expected \(notes)"
    }
}

extension PacketAnnotation {
    /// Moves the fields of a message, which count from the first byte inside of the layers.
    fileprivate mutating func countFields(from start: Int) {
        for index in parts.indices where parts[index].kind != .header {
            let range = parts[index].range
            parts[index].range = range.lowerBound + start..<range.upperBound + start
        }
    }
}

extension PacketLayout {
    /// Whether dissectors have a cipher with this key.
    fileprivate func takesKey(_ name: String) -> Bool {
        content.layers.contains { $0.kind == .xor(key: name) || $0.kind == .rc4(key: name) }
    }

    /// Whether a cipher goes on from packet to packet.
    fileprivate var hasKeystreams: Bool {
        content.layers.contains { if case .rc4 = $0.kind { true } else { false } }
    }
}
