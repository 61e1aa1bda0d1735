// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes vectors of a protocol from its schema alone, with emphasis on edge values.
///
/// It makes each message in several ways: with small values, zeros, the largest and the smallest values. Each field
/// takes the ends of its type, and values beyond `@range`, `@max` and `@closed`. Optional fields are set and not set.
/// Bytes are cut, changed, or not UTF-8. The expected result is that of this project's codec, so vectors show whether
/// another implementation agrees with it. The same schema, number and seed give the same vectors.
///
/// It makes them one by one, because a million take gigabytes. A copy starts where the original is.
package struct VectorMaker: IteratorProtocol {
    private(set) var translator: PacketTranslator
    /// Encodes values that the limits of the schema forbid.
    private var unlimited: PacketTranslator
    private let keys: [LayerKey]
    private let comparison: LineComparison
    /// The names of fields that count others.
    private let counters: Set<String>
    private var random: SplitMix64
    private let count: Int
    private var subjects: [Subject] = []
    private var recipes: [Recipe] = []
    private var followedCount = 0
    /// The messages of random values that were tried after all recipes.
    private var attemptCount = 0
    private var madeCount = 0
    /// The vectors of the last step, in reverse order.
    private var vectors: [ConformanceVector] = []
    private var seen: Set<Made> = []

    /// The source of a vector; the same bytes in another context are another vector.
    private struct Made: Hashable {
        let bytes: [UInt8]
        let context: PacketContext?
    }

    /// Longer packets and lines are left out: they show nothing more, and nobody can read the files.
    static let mostByteCount = 8192

    /// Makes `count` vectors, or fewer if the protocol has no more to show.
    ///
    /// - Parameter keys: Keys of the layers; missing ones are made up.
    package init(of description: ProtocolDescription, count: Int, seed: UInt64, keys given: [LayerKey] = []) {
        translator = PacketTranslator(description)
        unlimited = PacketTranslator(description.withoutLimits)
        comparison = LineComparison(translator)
        counters = Set(description.allFields.lazy.filter { $0.role == .derived }.map(\.name))
        random = SplitMix64(seed: seed)
        self.count = count
        keys = given + LayerKey.madeUp(for: description.layout, besides: given)
        if let keyed = try? translator.withKeys(keys) { translator = keyed }
        if let keyed = try? unlimited.withKeys(keys) { unlimited = keyed }
        if count > 0 { collectRecipes() }
    }

    /// The finished part, from 0 to 1.
    package var progress: Double { min(1, Double(max(madeCount, attemptCount / 4)) / Double(count)) }

    package mutating func next() -> ConformanceVector? {
        while vectors.isEmpty {
            guard madeCount < count, makeSome() else { return nil }
            vectors.reverse()
        }
        return vectors.popLast()
    }

    /// Returns the messages without any writable packet, with the reason.
    ///
    /// A message that needs a layer of the program is not among them.
    package static func unwritableMessages(
        of description: ProtocolDescription, keys: [LayerKey] = []
    ) -> [(name: String, error: TranslationError)] {
        let maker = VectorMaker(of: description, count: 0, seed: 1, keys: keys)
        return description.messages.indices.compactMap { index in
            maker.faultOfAllPackets(of: index).map { (description.messages[index].name, $0) }
        }
    }

    /// Returns why no packet of a message can be written; nil if one can.
    private func faultOfAllPackets(of message: Int) -> TranslationError? {
        var fault: TranslationError?
        func isWritten(_ hint: ExampleHint?, in context: PacketContext) -> Bool {
            [ExampleValues.Style.plain, .zero].contains { style in
                guard let found = self.fault(of: line(message, style, hint), in: context),
                    !found.isOfUnavailableLayer
                else { return true }
                fault = fault ?? found
                return false
            }
        }
        for context in description.contexts(ofExamplesOf: message) {
            if isWritten(nil, in: context) { return nil }
            let shapes = HeaderShapes(of: description, message: message, in: context)
            if shapes.headers.contains(where: { isWritten(.header($0), in: context) }) { return nil }
        }
        return fault
    }

    var description: ProtocolDescription { translator.description }

    // MARK: Recipes

    /// Indirect, because a large schema has millions of them, and they are shuffled.
    indirect enum Recipe {
        case value(Subject, ExampleValues.Style, ExampleHint?, label: String)
        case damage(Subject, ExampleValues.Style, PacketDamage)
        case frame(Subject, FrameDamage)
        /// A packet with the message's packets inside.
        case bundle(Subject, PacketHeader, label: String)
        case layerDamage(Subject, PacketHeader, LayerDamage)
        /// A packet whose layers make more than a reader may accept.
        case bomb(PacketContext, PacketHeader)
        /// An optional field that is not set, before one that is.
        case gap(Subject, FieldDescription)
        case unknown(PacketContext)
    }

    /// A message, by its index, and the context in which it is sent.
    struct Subject {
        let message: Int
        let context: PacketContext
    }

    private mutating func collectRecipes() {
        guard !description.messages.isEmpty else { return }
        subjects = description.messages.indices.flatMap { message in
            description.contexts(ofExamplesOf: message).map { Subject(message: message, context: $0) }
        }
        let first = subjects.map { Recipe.value($0, .plain, nil, label: "plain") }
        let strangers = description.layout.exampleContexts ?? [PacketContext(from: .client)]
        var rest: [Recipe] = description.layout.hasMessageID ? strangers.map { .unknown($0) } : []
        let graph = StructureGraph(anywhereIn: description)
        let edges = EdgeValues(description, graph)
        for subject in subjects { rest += recipes(for: subject, edges, graph) }
        rest += bombRecipes(in: strangers)
        rest.shuffle(using: &random)
        recipes = first + rest
    }

    /// Follows the next recipe, which may make no vector; false if there is none.
    private mutating func makeSome() -> Bool {
        if followedCount < recipes.count {
            followedCount += 1
            follow(recipes[followedCount - 1])
            return true
        }
        guard attemptCount < 4 * count, let subject = subjects.randomElement(using: &random) else { return false }
        attemptCount += 1
        followAny(subject)
        return true
    }

    private func recipes(for subject: Subject, _ edges: EdgeValues, _ graph: StructureGraph) -> [Recipe] {
        let message = subject.message
        let styles: [(ExampleValues.Style, String)] = [(.zero, "zeros"), (.most, "most"), (.least, "least")]
        var result = styles.map { Recipe.value(subject, $0.0, nil, label: $0.1) }
        for owner in description.owners(in: message, graph) {
            for (index, field) in description.fields(of: owner).enumerated() where field.hasValue {
                let name = [description.typeName(of: owner), field.name].compactMap(\.self).joined(separator: ".")
                let key = FieldKey(owner: owner, index: index)
                for edge in edges.edges(of: field, key) {
                    let label = name + "-" + edge.label
                    result.append(.value(subject, .plain, edge.hint, label: label))
                }
                if let hint = edges.allOnes(of: field, key) {
                    result.append(.value(subject, .zero, hint, label: name + "-alone"))
                }
            }
        }
        result += headerRecipes(for: subject) + layerRecipes(for: subject)
        let optionals = description.messages[message].fields.filter { $0.presence == .optional }
        result += optionals.dropLast().map { .gap(subject, $0) }
        for style in [ExampleValues.Style.plain, .most] {
            guard let packet = packet(subject, style, nil, translator) else { continue }
            for damage in damages(of: packet, in: subject.context) { result.append(.damage(subject, style, damage)) }
        }
        if let framing = description.layout.framing, let packet = packet(subject, .plain, nil, translator) {
            result += FrameDamage.all(of: packet, framing).map { .frame(subject, $0) }
        }
        return result
    }

    /// Values at the edges of each header field, and headers with and without each conditional field.
    private func headerRecipes(for subject: Subject) -> [Recipe] {
        let shapes = HeaderShapes(of: description, message: subject.message, in: subject.context)
        // Without a length a packet can have only an empty payload.
        let styles: [(ExampleValues.Style, String)] = [(.plain, ""), (.zero, "-zeros")]
        var result = shapes.headers.filter { !$0.fields.isEmpty }.enumerated().flatMap { number, header in
            styles.map { style, word in
                Recipe.value(subject, style, .header(header), label: "header-shape-\(number + 1)\(word)")
            }
        }
        let fixed = description.messages[subject.message].headerValues
        for item in fixed {
            let field = description.layout.fields[item.field]
            guard let other = field.format.edges.first(where: { $0.value != item.value }) else { continue }
            let header = PacketHeader(field.name, other.value)
            result.append(.value(subject, .plain, .header(header), label: "header-\(field.name)-other"))
        }
        for (index, field) in description.layout.fields.enumerated()
        where field.isSettable && !fixed.contains(where: { $0.field == index }) {
            for (value, label) in field.format.edges + field.format.faults {
                guard var header = shapes.header(with: index) else { continue }
                header[value: field.name] = value
                let label = "header-\(field.name)-\(label)"
                result.append(.value(subject, .plain, .header(header), label: label))
            }
            guard var header = shapes.header(without: index) else { continue }
            header[value: field.name] = field.format.edges.first?.value
            result.append(.value(subject, .zero, .header(header), label: "header-\(field.name)-set"))
        }
        return result
    }

    private func damages(of packet: [UInt8], in context: PacketContext) -> [PacketDamage] {
        let options = description.options
        guard
            let packet = try? description.layout.unframed(packet),
            let lent = try? Packet(
                packet.rawSpan, layout: description.layout.layout(in: context), limit: options.maximumPacketByteCount),
            let annotation = try? translator.annotate(lent, preferring: context.sender, maximumPartCount: 200)
        else { return [] }
        let checksums = Set(description.layout.fields.filter { $0.checksum != nil }.map(\.name))
        return PacketDamage.all(
            of: annotation, packet, payload: lent.payloadRange, checksums: checksums, counters: counters,
            escaped: description.layout.framing?.escapes.map(\.byte) ?? [])
    }

    // MARK: Results

    private mutating func follow(_ recipe: Recipe) {
        switch recipe {
        case .value(let subject, let style, let hint, let label):
            addValue(subject, style, hint, label: name(of: subject) + "-" + label)
        case .damage(let subject, let style, let damage):
            guard let packet = packet(subject, style, nil, translator) else { return }
            let label = name(of: subject) + "-" + damage.label
            addBytes(apply(damage, to: packet, in: subject.context), in: subject.context, label: label)
        case .frame(let subject, let damage):
            addBytes(damage.bytes, in: subject.context, label: name(of: subject) + "-" + damage.label)
        case .bundle(let subject, let header, let label):
            addBundle(subject, header, label: name(of: subject) + "-" + label)
        case .layerDamage(let subject, let header, let damage): addDamage(damage, subject, header)
        case .bomb(let context, let header): addBomb(header, in: context)
        case .gap(let subject, let field):
            let label = name(of: subject) + "-" + field.name + "-gap"
            let whole = line(subject.message, .plain, nil)
            addLine(whole.without(field: field.name), insteadOf: whole, in: subject.context, label: label)
        case .unknown(let context): addUnknown(in: context)
        }
    }

    /// Makes a message of random values, unchanged or with some bytes changed.
    private mutating func followAny(_ subject: Subject) {
        let style = ExampleValues.Style.random(seed: random.next())
        let name = name(of: subject)
        guard Bool.random(using: &random), var packet = packet(subject, style, nil, translator), !packet.isEmpty else {
            return addValue(subject, style, nil, label: name + "-random")
        }
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            packet[Int.random(in: 0..<packet.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        addBytes(packet, in: subject.context, label: name + "-random-bytes")
    }

    private mutating func addValue(
        _ subject: Subject, _ style: ExampleValues.Style, _ hint: ExampleHint?, label: String
    ) {
        addLine(
            line(subject.message, style, hint), insteadOf: usualLine(subject.message, style, without: hint),
            in: subject.context, label: label)
    }

    /// Adds a line as a vector, of the kind that results.
    ///
    /// - Parameter usual: The same line without the property to show. If it is refused as well, this line may have two
    ///   faults, and implementations may name either: then it becomes no vector.
    mutating func addLine(
        _ line: JSONValue, insteadOf usual: JSONValue, in context: PacketContext, label: String
    ) {
        do throws(TranslationError) {
            let bytes = try translator.encode(line: line, from: context.sender, states: context.states)
            addBytes(bytes, in: context, label: label, meaning: line[LineKey.fields])
        } catch {
            // Only here is the program's part missing.
            if error.isOfUnavailableLayer { return }
            if fault(of: usual, in: context)?.isOfUnavailableLayer ?? true {
                addRefused(line, error, in: context, label: label)
            }
            // Other implementations may encode it all the same.
            guard let bytes = try? unlimited.encode(line: line, from: context.sender, states: context.states) else {
                return
            }
            addBytes(bytes, in: context, label: label + "-sent")
        }
    }

    private func fault(of line: JSONValue, in context: PacketContext) -> TranslationError? {
        do throws(TranslationError) {
            _ = try translator.encode(line: line, from: context.sender, states: context.states)
            return nil
        } catch {
            return error
        }
    }

    private func made(_ bytes: [UInt8], _ context: PacketContext) -> Made {
        Made(bytes: bytes, context: description.layout.hasStates ? context : nil)
    }

    private mutating func addUnknown(in context: PacketContext) {
        let known = Set(description.messages.map(\.id))
        let payload = (0..<9).map { _ in UInt8.random(in: 0...255, using: &random) }
        for most in description.layout.layout(in: context).largestMessageIDs {
            let candidates = (0...min(63, most)).lazy.map { most - $0 }
            guard let id = candidates.first(where: { !known.contains($0) }) else { return }
            let line: JSONValue = [
                LineKey.message: .null, LineKey.id: .exactInteger(Int128(id)),
                LineKey.payload: .string(Hexadecimal.text(of: payload)),
            ]
            guard let bytes = try? translator.encode(line: line, from: context.sender, states: context.states) else {
                continue
            }
            return addBytes(bytes, in: context, label: "unknown")
        }
    }

    private mutating func addRefused(
        _ line: JSONValue, _ error: TranslationError, in context: PacketContext, label: String
    ) {
        guard line.description.utf8.count <= Self.mostByteCount,
            seen.insert(made(Array(line.description.utf8), context)).inserted
        else { return }
        add(
            ConformanceVector(
                .refused, name(label), in: context, note: label, line: line, errorText: error.description,
                refusal: Refusal(error)))
    }

    /// Adds bytes as a vector, of the kind that results.
    ///
    /// - Parameters:
    ///   - meaning: The fields from which they were made, if known.
    ///   - limit: The most bytes.
    mutating func addBytes(
        _ bytes: [UInt8], in context: PacketContext, label: String, meaning: JSONValue? = nil,
        limit: Int = Self.mostByteCount
    ) {
        guard bytes.count <= limit, seen.insert(made(bytes, context)).inserted else { return }
        switch translator.verdict(on: bytes[...], in: context) {
        case .packet(let byteCount, let line):
            // Several packets are not one vector.
            guard byteCount == bytes.count else { return }
            let isExact = (try? translator.encode(line: line, from: context.sender, states: context.states)) == bytes
            // With layers, the header says which of them a packet has.
            let decidingLine = description.layout.hasContent ? line : line.withDecidingHeader(translator)
            if !isExact,
                (try? translator.encode(line: decidingLine, from: context.sender, states: context.states)) == nil
            {
                return
            }
            let expected = meaning.map { self.line(line, meaning: $0) } ?? line
            add(
                ConformanceVector(
                    isExact ? .exact : .decodeOnly, name(label), in: context, note: label, bytes: bytes,
                    line: expected))
        case .more, .refused:
            guard let error = translator.streamError(of: bytes, in: context) else { return }
            add(
                ConformanceVector(
                    .invalid, name(label), in: context, note: label, bytes: bytes, errorText: error.description,
                    refusal: Refusal(error)))
        }
    }

    /// Returns the line that was read, or the encoded fields if they differ.
    ///
    /// A fault of this project's own codec must be visible, and not become the expected result.
    private func line(_ line: JSONValue, meaning: JSONValue) -> JSONValue {
        guard case .object(let members) = line else { return line }
        let meant = JSONValue.object(
            members.map { $0.name == LineKey.fields ? JSONValue.Member(LineKey.fields, meaning) : $0 })
        return comparison.difference(meant, line) == nil ? line : meant
    }

    private mutating func add(_ vector: ConformanceVector) {
        var vector = vector
        vector.keys = keys
        vectors.append(vector)
        madeCount += 1
    }

    private func name(_ label: String) -> String {
        let number = String(madeCount + 1)
        let plain = label.utf8.map { $0.isPlainInName ? Character(Unicode.Scalar($0)) : "-" }
        return String(repeating: "0", count: max(0, 4 - number.count)) + number + "-" + String(plain.prefix(60))
    }

    // MARK: Lines and packets

    private func name(of subject: Subject) -> String { description.messages[subject.message].name }

    private func packet(
        _ subject: Subject, _ style: ExampleValues.Style, _ hint: ExampleHint?, _ translator: PacketTranslator
    ) -> [UInt8]? {
        try? translator.encode(
            line: line(subject.message, style, hint), from: subject.context.sender, states: subject.context.states)
    }

    private func apply(_ damage: PacketDamage, to packet: [UInt8], in context: PacketContext) -> [UInt8] {
        let layout = description.layout.layout(in: context)
        let limit = description.options.maximumPacketByteCount
        guard let packet = try? layout.unframed(packet) else { return packet }
        var bytes = packet
        bytes.replaceSubrange(damage.range, with: damage.bytes)
        guard damage.isOfPayload, let whole = try? Packet(packet.rawSpan, layout: layout, limit: limit),
            let header = try? layout.header(of: whole)
        else { return layout.framed(bytes) }
        let range = whole.payloadRange
        let payload = Array(bytes[range.lowerBound..<range.upperBound + bytes.count - packet.count])
        var settable = PacketHeader()
        for field in layout.fields where field.isSettable { settable[value: field.name] = header[value: field.name] }
        return (try? layout.encode(id: whole.id, header: settable, payload: payload.rawSpan, limit: limit))
            ?? layout.framed(bytes)
    }
}

extension TranslationError {
    fileprivate var isOfUnavailableLayer: Bool {
        if case .value(.layerUnavailable) = reason { true } else { false }
    }
}

extension ProtocolDescription {
    /// The same description without the limits that forbid values.
    fileprivate var withoutLimits: ProtocolDescription {
        var result = self
        for index in result.messages.indices { result.messages[index].fields = unlimited(messages[index].fields) }
        for index in result.structures.indices { result.structures[index].fields = unlimited(structures[index].fields) }
        for index in result.unions.indices {
            for arm in result.unions[index].arms.indices {
                guard let field = unions[index].arms[arm].field else { continue }
                result.unions[index].arms[arm].field = unlimited([field]).first
            }
        }
        for index in result.enumerations.indices { result.enumerations[index].isClosed = false }
        return result
    }

    private func unlimited(_ fields: [FieldDescription]) -> [FieldDescription] {
        fields.map { field in
            var field = field
            (field.range, field.floatRange, field.maximumCount) = (nil, nil, nil)
            return field
        }
    }

    /// Returns a message, and the structures and unions in it, each once.
    fileprivate func owners(in message: Int, _ graph: StructureGraph) -> [FieldListKey] {
        let bodies = graph.reached(from: messages[message].fields.compactMap { innermostBody(of: $0.type) })
        return [.message(message)]
            + bodies.map { $0 < structures.count ? .structure($0) : .union($0 - structures.count) }
    }

    /// Returns the name of a structure or a union; nil for a message.
    fileprivate func typeName(of owner: FieldListKey) -> String? {
        switch owner {
        case .message: nil
        case .structure(let index): structures[index].name
        case .union(let index): unions[index].name
        }
    }
}
