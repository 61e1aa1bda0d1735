// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

extension ScriptConnection {
    /// The largest `glue` block, in bytes.
    private static let mostGluedBytes = 16 << 20
    /// The limit of bytes that wait for a client that does not read. One packet alone may exceed it.
    private static let mostWaitingBytes = 1 << 20

    private var layout: PacketLayout { connection.sentLayout }

    /// Returns what `echo` sends: the received bytes. They are changed only if packets depend on the sender.
    nonisolated(nonsending) func returned(
        _ packet: ReceivedPacket, _ delivery: Script.Delivery, _ span: SourceSpan
    ) async throws -> [UInt8] {
        let whole = run.translator.description.layout
        guard !whole.hasContent else {
            // Sealing the packet can change states. The packet itself has the layout of the states before.
            return try await sealed(try connection.unsealed(forwarding: packet), delivery, span)
        }
        guard whole.dependsOnContext else { return whole.framed(packet.bytes) }
        return try whole.packet(returning: packet.lent, in: connection.sentContext, limit: .max)
    }

    func raw(_ bytes: [UInt8], _ delivery: Script.Delivery) -> [UInt8] {
        delivery.isDamaged ? layout.damaged(bytes) : bytes
    }

    /// Returns the encoded message. The fields in `wrong` are overwritten.
    nonisolated(nonsending) func packet(
        of message: Script.Message, _ delivery: Script.Delivery, _ occasion: Occasion, _ span: SourceSpan
    ) async throws(ScriptFailure) -> [UInt8] {
        guard !hasContent else {
            // Sealing can change states. The fields outside layers have the layout of the states before.
            let layout = layout
            let packet = try await sealed(unsealed(message, occasion, span), delivery, span)
            return try falsified(packet, layout, message.wrong, evaluation(occasion))
        }
        let (header, payload) = try parts(of: message, occasion, span)
        let (description, layout) = (run.translator.description, layout)
        let packet: [UInt8]
        do throws(CodecError) {
            packet = try layout.encode(
                id: description.messages[message.index].id, header: header, payload: payload.rawSpan,
                limit: description.options.maximumPacketByteCount)
        } catch {
            throw ScriptFailure(span: span, reason: "\(error)")
        }
        return try falsified(packet, layout, message.wrong, evaluation(occasion))
    }

    private var hasContent: Bool { run.translator.description.layout.hasContent }

    /// Returns the packet of a message before its layers are applied.
    func unsealed(
        _ message: Script.Message, _ occasion: Occasion, _ span: SourceSpan
    ) throws(ScriptFailure) -> UnsealedPacket {
        let (header, payload) = try parts(of: message, occasion, span)
        let description = run.translator.description.messages[message.index]
        return UnsealedPacket(id: description.id, header: header, payload: payload, named: description.name)
    }

    /// Returns the packet that carries other packets, before its layers are applied.
    func packet(
        _ bundle: Script.Bundle, _ packets: [UnsealedPacket], _ occasion: Occasion, _ span: SourceSpan
    ) throws(ScriptFailure) -> UnsealedPacket {
        let evaluation = evaluation(occasion)
        var header = PacketHeader()
        try set(&header, bundle.header, evaluation)
        guard let id = bundle.id else {
            return UnsealedPacket(id: packets.first?.messageIDs.first ?? 0, header: header, packets: packets)
        }
        guard let number = UInt64(exactly: try integer(id, evaluation)) else {
            throw ScriptFailure(span: id.span, reason: "an ID is not negative")
        }
        return UnsealedPacket(id: number, header: header, packets: packets)
    }

    /// Applies the layers to a packet. It must be sent next: a layer can depend on the packets before.
    nonisolated(nonsending) func sealed(
        _ packet: UnsealedPacket, _ delivery: Script.Delivery, _ span: SourceSpan
    ) async throws(ScriptFailure) -> [UInt8] {
        let layout = layout
        // A message in a `glue` block is compressed in this turn. In a later one, another task could send into the block.
        let ahead = glue == nil ? await connection.compressedAhead(packet) : nil
        do throws(CodecError) {
            let bytes = try connection.seal(packet, ahead)
            return delivery.isDamaged ? layout.damaged(bytes) : bytes
        } catch {
            throw ScriptFailure(span: span, reason: "\(error)")
        }
    }

    private func parts(
        of message: Script.Message, _ occasion: Occasion, _ span: SourceSpan
    ) throws(ScriptFailure) -> (header: PacketHeader, payload: [UInt8]) {
        let evaluation = evaluation(occasion)
        let description = run.translator.description.messages[message.index]
        let fields = try value(of: message.fields, evaluation)
        var header = try header(of: message, evaluation)
        let payload: [UInt8]
        do throws(TranslationError) {
            payload = try run.translator.encodePayload(
                message: description.name, fields: fields, header: header)
        } catch {
            throw ScriptFailure(span: span, reason: "\(error)")
        }
        guard let fixed = run.translator.description.fixedHeader(of: description) else { return (header, payload) }
        do throws(CodecError) {
            try wholeLayout.fix(fixed, in: &header)
        } catch {
            throw ScriptFailure(span: span, reason: "\(error)")
        }
        return (header, payload)
    }

    /// The layout with all fields of the packet, including those inside layers.
    private var wholeLayout: PacketLayout { hasContent ? run.translator.description.layout : layout }

    private func header(
        of message: Script.Message, _ evaluation: Evaluation
    ) throws(ScriptFailure) -> PacketHeader {
        var header = PacketHeader()
        if message.isReply, let field = wholeLayout.sequenceField {
            let line = evaluation.occasion.line
            header[field.name] = line?["header"]?[field.name].flatMap(Self.integer)
        }
        try set(&header, message.header, evaluation)
        return header
    }

    private func set(
        _ header: inout PacketHeader, _ values: [(name: String, value: Script.Expression)], _ evaluation: Evaluation
    ) throws(ScriptFailure) {
        let fields = run.translator.description.layout.fields
        for (name, expression) in values {
            guard let field = fields.firstIndex(where: { $0.name == name }) else { continue }
            header[value: name] = try value(of: expression, inPacketField: field, evaluation)
        }
    }

    private static func integer(_ value: JSONValue) -> Int128? {
        switch value {
        case .number(let number): number.integer
        case .string(let text): Int128(text)
        default: nil
        }
    }

    private func value(
        of expression: Script.Expression, inPacketField index: Int, _ evaluation: Evaluation
    ) throws(ScriptFailure) -> PacketHeader.FieldValue {
        let field = run.translator.description.layout.fields[index]
        if run.translator.description.packetFieldType(index) != nil || !field.format.isNumber {
            let value = try value(of: expression, evaluation)
            do throws(TranslationError) {
                return try run.translator.value(of: value, inPacketField: index)
            } catch {
                throw ScriptFailure(span: expression.span, reason: "\(error)")
            }
        }
        return .integer(try number(of: expression, field, evaluation))
    }

    private func number(
        of expression: Script.Expression, _ field: PacketField, _ evaluation: Evaluation
    ) throws(ScriptFailure) -> Int128 {
        if field.format.isBoolean, case .boolean(let isTrue) = try value(of: expression, evaluation) {
            return isTrue ? 1 : 0
        }
        let number = try integer(expression, evaluation)
        let range = field.format.range
        guard range.contains(number) else {
            throw ScriptFailure(
                span: expression.span, reason: "\(number) is not in \(range.lowerBound)...\(range.upperBound)")
        }
        return number
    }

    private func falsified(
        _ packet: [UInt8], _ layout: PacketLayout, _ wrong: [(name: String, value: Script.Expression)],
        _ evaluation: Evaluation
    ) throws(ScriptFailure) -> [UInt8] {
        guard !wrong.isEmpty, var fields = HeaderBytes(of: packet, layout) else { return packet }
        for (name, expression) in wrong {
            let position = layout.fields.firstIndex { $0.name == name }
            guard let position, let field = run.translator.description.packetField(named: name) else { continue }
            var evaluation = evaluation
            evaluation.right = fields.right(of: layout.fields[position])
            guard case .integer(let number) = try value(of: expression, inPacketField: field, evaluation) else {
                continue
            }
            fields.put(number, intoField: position)
        }
        return fields.packet
    }

    /// Sends bytes after earlier packets in pieces are complete and the output queue has space.
    nonisolated(nonsending) func send(
        _ bytes: [UInt8], _ delivery: Script.Delivery, _ span: SourceSpan
    ) async throws {
        // The states must change now: the next packet can be made before this one is sent.
        if !isSilent { connection.followSent(bytes) }
        let bytes = delivery.byteLimit.map { Array(bytes.prefix($0)) } ?? bytes
        if let byteCount = glue?.count {
            guard byteCount + bytes.count <= Self.mostGluedBytes else {
                throw ScriptFailure(span: span, reason: "more than \(Self.mostGluedBytes) bytes are glued")
            }
            glue?.append(contentsOf: bytes)
            return
        }
        guard !isSilent, !bytes.isEmpty else { return }
        guard waitingByteCount == 0 || waitingByteCount + bytes.count <= Self.mostWaitingBytes else {
            throw ScriptFailure(
                span: span, reason: "more than \(Self.mostWaitingBytes) bytes wait for a client that does not read")
        }
        waitingByteCount += bytes.count
        defer { waitingByteCount -= bytes.count }
        try await takeTurn()
        defer { giveTurn() }
        guard let pieces = delivery.pieces else { return try await put(bytes) }
        var start = 0
        while start < bytes.count {
            if start > 0 { try await sleep(for: time(of: pieces.pause)) }
            let end = min(bytes.count, start + pieces.byteCount)
            try await put(Array(bytes[start..<end]))
            start = end
        }
    }

    private nonisolated(nonsending) func put(_ bytes: [UInt8]) async throws {
        // Another task can run `silence` while this one waits.
        guard !isSilent else { return }
        do throws(ConnectionError) {
            try await connection.sendFollowed(bytes)
        } catch {
            // The task that receives throws the reason.
            throw Interruption.ended
        }
    }
}

extension PacketLayout {
    /// Returns the packet with one bit flipped in the middle of its payload.
    fileprivate func damaged(_ packet: [UInt8]) -> [UInt8] {
        guard var content = try? unframed(packet),
            let range = try? Packet(content.rawSpan, layout: self, limit: .max).payloadRange, !range.isEmpty
        else { return packet }
        content[range.lowerBound + range.count / 2] ^= 1
        return framed(content)
    }
}
