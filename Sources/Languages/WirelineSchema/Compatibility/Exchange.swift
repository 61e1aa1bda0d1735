// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineLayers

/// The exchange of one message: one version writes it, the other reads it.
struct Exchange {
    private let comparison: SchemaComparison
    private let pair: SchemaComparison.MessagePair
    private let reader: SchemaVersion
    private let written: ProtocolDescription
    private let read: ProtocolDescription
    private let writer: ExampleWriter
    private let readerTranslator: PacketTranslator
    /// Whether whole packets are compared, or only payloads.
    ///
    /// If the layouts differ, every packet fails, which says nothing about fields.
    private let isOfPacket: Bool
    /// The contexts to try; nil for all in which packets differ.
    private let contexts: [ExchangeContext]?

    init(
        _ comparison: SchemaComparison, _ translators: [SchemaVersion: PacketTranslator], _ pool: EdgePool,
        pair: SchemaComparison.MessagePair, reader: SchemaVersion, isOfPacket: Bool,
        contexts: [ExchangeContext]? = nil
    ) {
        self.contexts = contexts
        self.comparison = comparison
        self.pair = pair
        self.reader = reader
        self.isOfPacket = isOfPacket
        written = comparison.description(of: reader.peer)
        read = comparison.description(of: reader)
        writer = ExampleWriter(
            description: written, translator: translators[reader.peer] ?? comparison.translator(of: reader.peer),
            pool: pool)
        readerTranslator = translators[reader] ?? comparison.translator(of: reader)
    }

    private var writtenMessage: Int { reader == .new ? pair.old : pair.new }
    private var readMessage: Int { reader == .new ? pair.new : pair.old }

    // MARK: Trying

    /// An exchanged packet, and its failures for each sender.
    struct Attempt {
        /// The writer's meaning.
        var sent: JSONValue
        var packet: [UInt8]
        var outcomes: [(context: ExchangeContext, packet: [UInt8], outcome: SchemaChange.Outcome)] = []
    }

    /// Exchanges a value; nil if the writer cannot encode it.
    func attempt(_ candidate: Candidate) -> Attempt? {
        let senders = isOfPacket ? written.messages[writtenMessage].senders : pair.senders
        var attempt: Attempt?
        for context in contexts ?? comparison.contexts(of: writtenMessage, for: reader) {
            // An opaque packet has no fields to compare.
            guard let packet = writer.packet(ofMessage: writtenMessage, candidate, in: context),
                isOfPacket || packet.kind != .opaque
            else { continue }
            let possible = Sender.allCases.filter { senders.contains($0) && $0 == context?.sender ?? $0 }
            let outcomes = possible.compactMap { sender in
                let context = context ?? ExchangeContext(sender: sender)
                return outcome(of: packet, context).map { (context: context, packet: packet.bytes, outcome: $0) }
            }
            attempt = Attempt(
                sent: packet.sent, packet: packet.bytes, outcomes: (attempt?.outcomes ?? []) + outcomes)
        }
        return attempt
    }

    /// Returns the failure of an attempt; nil if there is none.
    ///
    /// - Parameter fieldNames: The names of the one field that counts; nil for all.
    func failure(of attempt: Attempt, fieldNames: Set<String>?) -> SchemaChange.Failure? {
        for (context, packet, outcome) in attempt.outcomes where counts(outcome, fieldNames) {
            let sender = context.sender
            // If the reader need not know a message from this side, only a refused packet counts.
            guard pair.senders.contains(sender) || outcome.isRefusal else { continue }
            return SchemaChange.Failure(
                reader: reader, sender: sender, message: written.messages[writtenMessage].name, packet: packet,
                content: (try? written.layout.unframed(packet)) ?? packet, sent: attempt.sent, outcome: outcome,
                keys: comparison.madeUpKeys(of: reader.peer))
        }
        return nil
    }

    private func outcome(of packet: TrialPacket, _ context: ExchangeContext) -> SchemaChange.Outcome? {
        let name = read.messages[readMessage].name
        let (sent, packet, kind) = (packet.sent, packet.bytes, packet.kind)
        do throws(CodecError) {
            let line = try isOfPacket ? decode(packet, context) : decodePayload(sent, of: packet, context)
            if kind == .opaque { return line.flatMap { outcome(ofOpaque: sent, $0) } }
            guard let line, let found = line[LineKey.fields] else { return isOfPacket ? .unknownMessage : nil }
            if case .string(let other)? = line[LineKey.message], other != name {
                return .misread(message: other, fields: found, nil)
            }
            let difference = firstDifference(sent, found, .message(writtenMessage), .message(readMessage))
            guard var difference else { return nil }
            difference.range = range(of: difference.path, in: packet, context)
            return .misread(message: name, fields: found, difference)
        } catch {
            guard !isOfPacket else { return .refused(error) }
            // Offsets count as in a packet that is read as a whole.
            let start = withMessage(in: packet, context) { packet, _ in
                packet.payloadRange.lowerBound - packet.contentStart
            }
            return .refused(error.moved(by: start ?? 0))
        }
    }

    /// Returns the failure of a packet that the reader does not decode; its payload must equal the sent one.
    private func outcome(ofOpaque sent: JSONValue, _ line: JSONValue) -> SchemaChange.Outcome? {
        let payload = line[LineKey.payload].map { JSONValue.object([JSONValue.Member(LineKey.payload, $0)]) }
        guard payload != sent else { return nil }
        let found = line[LineKey.fields] ?? payload ?? line
        let name = if case .string(let name)? = line[LineKey.message] { name } else { read.messages[readMessage].name }
        return .misread(message: name, fields: found, difference(sent, found))
    }

    private func counts(_ outcome: SchemaChange.Outcome, _ fieldNames: Set<String>?) -> Bool {
        guard let fieldNames else { return true }
        let path: String
        switch outcome {
        case .misread(_, _, let difference?): path = difference.path
        case .refused(let error) where !isOfPacket: path = error.path
        case .misread(_, _, nil), .refused, .unknownMessage: return true
        }
        return path.split(whereSeparator: { $0 == "." || $0 == "[" }).contains { fieldNames.contains(String($0)) }
    }

    private func decode(_ packet: [UInt8], _ context: ExchangeContext) throws(CodecError) -> JSONValue? {
        let span = packet.span
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let line = try unsafe readerTranslator.decode(
            span.bytes, in: PacketContext(from: context.sender, states: context.read))
        return line.firstMessage
    }

    private func decodePayload(
        _ sent: JSONValue, of packet: [UInt8], _ context: ExchangeContext
    ) throws(CodecError) -> JSONValue? {
        let name = written.messages[writtenMessage].name
        let header = writtenHeader(of: packet, context)
        guard let payload = try? writer.translator.encodePayload(message: name, fields: sent, header: header) else {
            return nil
        }
        let span = payload.span
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        return try unsafe readerTranslator.decodePayload(
            span.bytes, asMessage: read.messages[readMessage].name, header: readHeader(header))
    }

    /// Returns the header of a packet, or of the first message in it, if a condition of either message refers to it.
    private func writtenHeader(of packet: [UInt8], _ context: ExchangeContext) -> PacketHeader {
        guard written.messages[writtenMessage].looksAtHeader || read.messages[readMessage].looksAtHeader else {
            return PacketHeader()
        }
        return withMessage(in: packet, context) { packet, layout in try? layout.header(of: packet) } ?? PacketHeader()
    }

    /// Calls `body` with a packet that the writer made, or with the first message in it, and its layout.
    private func withMessage<Result>(
        in packet: [UInt8], _ context: ExchangeContext, _ body: (borrowing Packet, PacketLayout) -> Result?
    ) -> Result? {
        let layout = written.layout.layout(in: PacketContext(from: context.sender, states: context.written))
        guard let content = try? layout.unframed(packet),
            let whole = try? Packet(content.rawSpan, layout: layout, limit: content.count)
        else { return nil }
        guard writer.translator.hasContent else { return body(whole, layout) }
        var opener = writer.translator.makeOpener(from: context.sender)
        let opened = opener.open(whole, states: context.written)
        guard let index = opened.entries.firstIndex(where: { $0.kind != .packets }) else { return nil }
        return opened.withPacket(at: index) { body($0, written.layout) }
    }

    /// Returns a header with the reader's names for its fields.
    private func readHeader(_ header: PacketHeader) -> PacketHeader {
        var result = PacketHeader()
        for (name, value) in header.fields { result[value: comparison.packetFieldName(name, for: reader)] = value }
        return result
    }

    /// Returns the bytes that the reader took for the value at a path; nil if there are none.
    private func range(of path: String, in packet: [UInt8], _ context: ExchangeContext) -> Range<Int>? {
        // The bytes of a packet with layers do not show its content.
        guard !path.isEmpty, !written.layout.hasContent, !read.layout.hasContent else { return nil }
        let states = isOfPacket ? context.read : context.written
        let layout = (isOfPacket ? read.layout : written.layout).layout(
            in: PacketContext(from: context.sender, states: states))
        let header = readHeader(writtenHeader(of: packet, context))
        guard let content = try? layout.unframed(packet),
            let packet = try? Packet(content.rawSpan, layout: layout, limit: content.count)
        else { return nil }
        let recorder = AnnotationRecorder(maximumPartCount: .max)
        let decoder = PayloadDecoder(index: readerTranslator.index, header: header, recorder: recorder)
        var reader = packet.makeReader(maximumDepth: read.options.maximumDepth)
        _ = try? readerTranslator.decodeFields(of: readMessage, with: decoder, from: &reader)
        let ranges = recorder.parts.filter { FieldPath.isInside(path, $0.path) }.map(\.range)
        guard let first = ranges.first, let last = ranges.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    // MARK: Comparing

    /// Returns the first value that differs from the sent one; its range is not yet known.
    private func firstDifference(
        _ sent: JSONValue, _ found: JSONValue, _ sentOwner: FieldListKey, _ foundOwner: FieldListKey
    ) -> SchemaChange.Difference? {
        let key =
            reader == .new
            ? SchemaComparison.OwnerPair(old: sentOwner, new: foundOwner)
            : SchemaComparison.OwnerPair(old: foundOwner, new: sentOwner)
        // Fields without a comparison have different types.
        guard let alignment = comparison.alignments[key] else { return difference(sent, found) }
        let (fields, others) = (read.fields(of: foundOwner), written.fields(of: sentOwner))
        let (foundValues, sentValues) = (Self.values(of: fields, in: found), Self.values(of: others, in: sent))
        var peers = Array(repeating: Int?.none, count: fields.count)
        for pair in alignment.pairs {
            if reader == .new { peers[pair.new] = pair.old } else { peers[pair.old] = pair.new }
        }
        for (index, field) in fields.enumerated() where field.hasValue {
            let value = foundValues[index]
            // A constant of the writer is not among its values, but its bytes say the same.
            if let other = peers[index], let constant = json(of: others[other]) {
                guard let value else { continue }
                if firstDifference(constant, others[other].type, value, field.type) == nil { continue }
                return difference(constant, value, at: field.name)
            }
            guard let other = peers[index] else {
                // This field was not sent.
                let absent = readerTranslator.index.fields(of: foundOwner)[index].absent
                if let value, field.presence == .required || value != absent {
                    return difference(nil, value, at: field.name)
                }
                continue
            }
            let sentValue = sentValues[other].flatMap { $0.isNull ? nil : $0 }
            guard sentValue != nil || value != nil else { continue }
            guard let sentValue, let value else { return difference(sentValue, value, at: field.name) }
            if var difference = firstDifference(sentValue, others[other].type, value, field.type) {
                difference.path = FieldPath.joining(field.name, difference.path)
                return difference
            }
        }
        return nil
    }

    /// Returns a constant in JSON, with an enum as a number; nil for other fields.
    private func json(of field: FieldDescription) -> JSONValue? {
        switch field.role {
        case .constant(.integer(let number)):
            switch field.type {
            case .boolean, .bit: .boolean(number != 0)
            default: .exactInteger(number)
            }
        case .constant(.string(let text)): .string(text)
        default: nil
        }
    }

    /// Returns the values of fields in an object that has them in order; nil for missing ones.
    private static func values(of fields: [FieldDescription], in object: JSONValue) -> [JSONValue?] {
        guard case .object(let members) = object else { return fields.map { _ in nil } }
        var next = 0
        return fields.map { field in
            guard next < members.count, members[next].name.hasSameBytes(as: field.name) else { return nil }
            next += 1
            return members[next - 1].value
        }
    }

    private func firstDifference(
        _ sent: JSONValue, _ sentType: TypeDescription, _ found: JSONValue, _ foundType: TypeDescription
    ) -> SchemaChange.Difference? {
        switch (sentType, foundType) {
        case (.sized(let left, _), .sized(let right, _)): return firstDifference(sent, left, found, right)
        case (.structure(let left), .structure(let right)):
            return firstDifference(sent, found, .structure(left), .structure(right))
        case (.union(let left), .union(let right)):
            return firstDifference(sent, written.unions[left], found, read.unions[right])
        case (.list(let left, _), .list(let right, _)), (.fixedList(let left, _), .fixedList(let right, _)):
            guard case .array(let sentItems) = sent, case .array(let items) = found, sentItems.count == items.count
            else {
                return difference(sent, found)
            }
            for (index, (sentItem, item)) in zip(sentItems, items).enumerated() {
                if var difference = firstDifference(sentItem, left, item, right) {
                    difference.path = FieldPath.joining("[\(index)]", difference.path)
                    return difference
                }
            }
            return nil
        default:
            return isSame(sent, sentType, found, foundType) ? nil : difference(sent, found)
        }
    }

    /// Compares two values of a union: objects of one arm each.
    ///
    /// A version that does not know a tag keeps the value; that equals the value in the other version's arm.
    private func firstDifference(
        _ sent: JSONValue, _ sentUnion: UnionDescription, _ found: JSONValue, _ foundUnion: UnionDescription
    ) -> SchemaChange.Difference? {
        guard let (left, sentValue) = sentUnion.arm(of: sent), let (right, value) = foundUnion.arm(of: found),
            let sentTag = tag(of: left, sentValue, sentUnion, written),
            tag(of: right, value, foundUnion, read) == sentTag
        else { return difference(sent, found) }
        guard left.tag != nil, right.tag != nil else { return nil }
        // An arm with another name has been renamed, unless the other version has an arm of that name.
        let isOther =
            foundUnion.arms.contains { $0.name == left.name } || sentUnion.arms.contains { $0.name == right.name }
        guard left.name == right.name || !isOther else { return difference(sent, found) }
        switch (left.field, right.field) {
        case (nil, nil): return nil
        case (let one?, let other?):
            var result = firstDifference(sentValue, one.type, value, other.type)
            if let inner = result { result?.path = FieldPath.joining(right.name, inner.path) }
            return result
        default: return difference(sentValue, value, at: right.name)
        }
    }

    private func tag(
        of arm: UnionDescription.Arm, _ value: JSONValue, _ union: UnionDescription, _ description: ProtocolDescription
    ) -> Int128? {
        arm.tag ?? value[KeptValueKey.tag].flatMap { description.number($0, union.tag) }
    }

    private func difference(
        _ sent: JSONValue?, _ found: JSONValue?, at path: String = ""
    ) -> SchemaChange.Difference {
        SchemaChange.Difference(path: path, range: nil, sent: sent, read: found)
    }

    /// Whether two values that are neither structures nor lists mean the same.
    private func isSame(
        _ sent: JSONValue, _ sentType: TypeDescription, _ found: JSONValue, _ foundType: TypeDescription
    ) -> Bool {
        switch (sentType, foundType) {
        case (.string, .bytes), (.bytes, .string):
            return bytes(sent, sentType) == bytes(found, foundType)
        case (.float(let one, _), .float(let other, _)) where one != other: return false
        case (.float, .float), (.string, .string), (.bytes, .bytes), (.utf16, .utf16), (.digits, .digits),
            (.properties, .properties):
            return sent == found || number(sent) != nil && number(sent) == number(found)
        default:
            guard let left = written.number(sent, sentType), let right = read.number(found, foundType),
                left == right
            else { return false }
            return hasSameMeaning(left, sentType, foundType)
        }
    }

    private func number(_ value: JSONValue) -> Double? {
        if case .number(let number) = value { number.double } else { nil }
    }

    private func bytes(_ value: JSONValue, _ type: TypeDescription) -> [UInt8]? {
        guard case .string(let text) = value else { return nil }
        if case .bytes = type { return try? Base64.decode(text) }
        return Array(text.utf8)
    }

    /// Whether a number has no name that means another number in the other version.
    private func hasSameMeaning(_ value: Int128, _ sentType: TypeDescription, _ foundType: TypeDescription) -> Bool {
        switch (sentType, foundType) {
        case (.enumeration(let left, _), .enumeration(let right, _)):
            let (sent, found) = (written.enumerations[left].cases, read.enumerations[right].cases)
            let sentName = sent.first { $0.value == value }?.name
            let foundName = found.first { $0.value == value }?.name
            return sentName == foundName
                || !found.contains { $0.name == sentName } && !sent.contains { $0.name == foundName }
        case (.flags(let left, _), .flags(let right, _)):
            return written.flagSets[left].cases.allSatisfy { item in
                guard let other = read.flagSets[right].cases.first(where: { $0.name == item.name }) else { return true }
                return (value & item.value == item.value) == (value & other.value == other.value)
            }
        default: return true
        }
    }
}

extension DescriptionIndex {
    fileprivate func fields(of owner: FieldListKey) -> [JSONField] {
        switch owner {
        case .message(let index): messages[index].fields
        case .structure(let index): structures[index].fields
        case .union(let index): unions[index].arms.compactMap(\.field)
        }
    }
}

extension UnionDescription {
    /// Returns the arm that an object names, and its value.
    fileprivate func arm(of object: JSONValue) -> (UnionDescription.Arm, JSONValue)? {
        guard case .object(let members) = object, let member = members.first,
            let arm = arms.first(where: { $0.name.hasSameBytes(as: member.name) })
        else { return nil }
        return (arm, member.value)
    }
}

extension JSONValue {
    /// The line of the first message in a packet; the line itself if no packets are inside.
    var firstMessage: JSONValue {
        guard case .array(let packets)? = self[LineKey.packets], let first = packets.first else { return self }
        return first.firstMessage
    }
}
