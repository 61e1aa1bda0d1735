// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// Sends a script's messages on a connection.
extension ScriptConnection {
    /// The largest size of a `glue` block, in bytes.
    private static let mostGluedBytes = 16 << 20

    private var layout: PacketLayout { connection.sentLayout }

    /// Returns what `echo` sends: the same bytes, unless packets depend on the sender.
    func returned(_ packet: ReceivedPacket) throws -> [UInt8] {
        let layout = run.translator.description.layout
        guard layout.dependsOnContext else { return layout.framed(packet.bytes) }
        return try layout.packet(returning: packet.lent, in: connection.sentContext, limit: .max)
    }

    /// Returns the bytes of a message, with correct or wrong header fields.
    func packet(
        of message: Script.Message, _ occasion: Occasion, _ span: SourceSpan
    ) throws(ScriptFailure) -> [UInt8] {
        let evaluation = evaluation(occasion)
        let description = run.translator.description.messages[message.index]
        let fields = try value(of: message.fields, evaluation)
        var header = try header(of: message, evaluation)
        let limit = run.translator.description.options.maximumPacketByteCount
        let payload: [UInt8]
        do throws(TranslationError) {
            payload = try run.translator.encodePayload(
                message: description.name, fields: fields, header: header)
        } catch {
            throw ScriptFailure(span: span, reason: "\(error)")
        }
        let packet: [UInt8]
        do throws(CodecError) {
            if let fixed = run.translator.description.fixedHeader(of: description) {
                try layout.fix(fixed, in: &header)
            }
            packet = try layout.encode(id: description.id, header: header, payload: payload.rawSpan, limit: limit)
        } catch {
            throw ScriptFailure(span: span, reason: "\(error)")
        }
        return try falsified(packet, payload, message.wrong, evaluation)
    }

    private func header(
        of message: Script.Message, _ evaluation: Evaluation
    ) throws(ScriptFailure) -> PacketHeader {
        var header = PacketHeader()
        if message.isReply, let field = layout.sequenceField {
            let line = evaluation.occasion.line
            header[field.name] = line?["header"]?[field.name].flatMap(Self.integer)
        }
        for (name, expression) in message.header {
            let fields = run.translator.description.layout.fields
            guard let field = fields.firstIndex(where: { $0.name == name }) else { continue }
            header[value: name] = try value(of: expression, inPacketField: field, evaluation)
        }
        return header
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

    /// Overwrites fields of the header and the trailer.
    private func falsified(
        _ packet: [UInt8], _ payload: [UInt8], _ wrong: [(name: String, value: Script.Expression)],
        _ evaluation: Evaluation
    ) throws(ScriptFailure) -> [UInt8] {
        guard !wrong.isEmpty else { return packet }
        guard var fields = HeaderBytes(of: packet, payload, layout) else { return packet }
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

    /// Sends bytes, after earlier sends in pieces are complete and the output queue has space.
    nonisolated(nonsending) func send(
        _ bytes: [UInt8], _ delivery: Script.Delivery, _ span: SourceSpan
    ) async throws {
        // The next packet is made before this one is sent, and depends on what it sets.
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
        // A statement may have set this in the meantime.
        guard !isSilent else { return }
        do throws(ConnectionError) {
            try await connection.sendFollowed(bytes)
        } catch {
            // The receiving task is told the reason.
            throw Interruption.ended
        }
    }
}
