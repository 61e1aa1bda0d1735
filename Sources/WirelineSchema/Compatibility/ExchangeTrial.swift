// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Lets two versions exchange packets, to find one that shows what a change breaks.
struct ExchangeTrial {
    private let comparison: SchemaComparison
    private let translators: [SchemaVersion: PacketTranslator]
    /// The messages in which each declared type and each structure's fields stand.
    private let uses: Uses

    /// How many random values are tried when those at the ends show nothing.
    private static let randomCount = 60
    /// How many more are tried for a packet that shows the one change, when one that goes wrong has been found.
    private static let patience = 8
    /// Counts that make a packet larger than a limit, whatever its prefixes take.
    private static let extraCounts = [0, 1, 2, 4, 8, 16, 32, 64]
    /// Counts of which one gives a structure 128 to 255 bytes, whatever an item takes, and whatever fields in front of it take
    /// at most: between those, and only there, a size is one byte and its varint two.
    private static let structureExtraCounts = 1...255

    init(_ comparison: SchemaComparison) {
        self.comparison = comparison
        translators = [.old: PacketTranslator(comparison.old), .new: PacketTranslator(comparison.new)]
        uses = Uses(comparison)
    }

    /// The change with what it breaks.
    func change(of suspect: SchemaComparison.Suspect) -> SchemaChange {
        var change = suspect.change
        let pairs = uses.messagePairs(of: suspect.place)
        change.messages = names(of: suspect.place, pairs)
        for reader in SchemaVersion.allCases {
            guard let hints = suspect.hints[reader] else { continue }
            if let failure = failure(of: suspect, pairs, reader, hints) { change.failures.append(failure) }
        }
        return change
    }

    private func names(
        of place: SchemaComparison.Suspect.Place, _ pairs: [SchemaComparison.MessagePair]
    ) -> [String] {
        switch place {
        case .message(_, let new?): [comparison.new.messages[new].name]
        case .message(let old?, nil): [comparison.old.messages[old].name]
        case .packet: []
        default: pairs.map { comparison.new.messages[$0.new].name }
        }
    }

    private func failure(
        of suspect: SchemaComparison.Suspect, _ pairs: [SchemaComparison.MessagePair], _ reader: SchemaVersion,
        _ hints: [ExampleHint]
    ) -> SchemaChange.Failure? {
        if case .message(let old, let new) = suspect.place {
            return lostMessage(reader == .new ? old : new, reader)
        }
        for pair in pairs {
            let exchange = Exchange(
                comparison, translators, pair: pair, reader: reader, isOfPacket: suspect.place == .packet,
                fieldNames: suspect.fieldNames)
            var other: SchemaChange.Failure?
            var patience = Self.patience
            for values in candidates(hints) {
                if other != nil { patience -= 1 }
                guard patience > 0 else { break }
                guard let failure = exchange.failure(values) else { continue }
                // Where several changes go wrong together, one that shows this change is wanted.
                if failure.outcome.names(suspect.change.subject) { return failure }
                other = other ?? failure
            }
            if let other { return other }
        }
        // A message that only the writer knows may be the one of which packets show it.
        guard suspect.place == .packet else { return nil }
        return refusedMessage(reader, hints, suspect.change.rule)
    }

    /// A message of which the reader refuses a packet, whether it knows the message or not.
    private func refusedMessage(
        _ reader: SchemaVersion, _ hints: [ExampleHint], _ rule: CompatibilityRule
    ) -> SchemaChange.Failure? {
        let candidates = candidates(hints)
        // Where the layout is another, anything may be read in the wrong place; else it is the header that is refused.
        let mayBeAnything = rule == .packetLayout
        for message in comparison.description(of: reader.peer).messages.indices {
            for candidate in candidates {
                guard let failure = lostMessage(message, reader, candidate), case .refused(let error) = failure.outcome
                else { continue }
                if mayBeAnything || error.path.isEmpty || error.path.hasPrefix("packet.") { return failure }
            }
        }
        return nil
    }

    /// What is tried, the likeliest first.
    private func candidates(_ hints: [ExampleHint]) -> [Candidate] {
        var result: [Candidate] = []
        for hint in hints {
            switch hint {
            case .packetByteCount:
                result += Self.extraCounts.map { Candidate(values: .plain, hint: hint, extra: $0) }
            case .largeStructure:
                result += Self.structureExtraCounts.flatMap { extra in
                    [.zero, .plain].map { Candidate(values: $0, hint: hint, extra: extra) }
                }
            // In little else than the hint nothing else can go wrong.
            default: result += [.zero, .plain].map { Candidate(values: $0, hint: hint) }
            }
        }
        result += [.plain, .zero, .most, .least].map { Candidate(values: $0) }
        result += (0..<Self.randomCount).map { Candidate(values: .random(seed: UInt64($0))) }
        return result
    }

    /// A message that the reader does not know, or takes for another one.
    private func lostMessage(
        _ message: Int?, _ reader: SchemaVersion, _ candidate: Candidate = Candidate(values: .plain)
    ) -> SchemaChange.Failure? {
        guard let message, let translator = translators[reader.peer] else { return nil }
        let written = comparison.description(of: reader.peer)
        let description = written.messages[message]
        let writer = ExampleWriter(description: written, translator: translator)
        guard let (fields, packet) = writer.packet(ofMessage: message, candidate) else { return nil }
        for sender in Sender.allCases where description.senders.contains(sender) {
            guard let outcome = outcome(of: packet, named: description.name, sender, reader) else { continue }
            return SchemaChange.Failure(
                reader: reader, sender: sender, message: description.name, packet: packet, sent: fields,
                outcome: outcome)
        }
        return nil
    }

    /// nil when the reader takes the packet for the same message.
    private func outcome(
        of packet: [UInt8], named name: String, _ sender: Sender, _ reader: SchemaVersion
    ) -> SchemaChange.Outcome? {
        guard let translator = translators[reader] else { return nil }
        do throws(CodecError) {
            let span = packet.span
            // SAFETY: an array of bytes has neither padding nor bytes that are not initialised.
            let line = try unsafe translator.decode(span.bytes, from: sender)
            guard case .string(let found)? = line[LineKey.message], let fields = line[LineKey.fields] else {
                return .unknownMessage
            }
            return found == name ? nil : .misread(message: found, fields: fields, nil)
        } catch {
            return .refused(error)
        }
    }
}

extension SchemaChange.Outcome {
    /// Whether the field that goes wrong is the last name of a subject.
    fileprivate func names(_ subject: String) -> Bool {
        let path: String
        switch self {
        case .refused(let error): path = error.path
        case .misread(_, _, let difference): path = difference?.path ?? ""
        case .unknownMessage: return true
        }
        let field = path.split(separator: ".").last?.prefix { $0 != "[" }
        return field == subject.split(separator: ".").last
    }
}

/// Where the parts of two versions are used.
private struct Uses {
    private let pairs: [SchemaComparison.MessagePair]
    /// What each message holds, by its place among the pairs, through all structures.
    private let reached: [Set<SchemaComparison.TypePair>]

    init(_ comparison: SchemaComparison) {
        pairs = comparison.messagePairs
        reached = comparison.messagePairs.map { pair in
            var found: Set<SchemaComparison.TypePair> = []
            var waiting = [SchemaComparison.OwnerPair(old: .message(pair.old), new: .message(pair.new))]
            while let owner = waiting.popLast() {
                for type in comparison.contents[owner] ?? [] where found.insert(type).inserted {
                    guard case .structure(let old, let new) = type else { continue }
                    waiting.append(SchemaComparison.OwnerPair(old: .structure(old), new: .structure(new)))
                }
            }
            return found
        }
    }

    func messagePairs(of place: SchemaComparison.Suspect.Place) -> [SchemaComparison.MessagePair] {
        switch place {
        case .packet, .message: return pairs
        case .type(let type): return messagePairs(holding: type)
        case .owner(let owner):
            switch (owner.old, owner.new) {
            case (.structure(let old), .structure(let new)):
                return messagePairs(holding: .structure(old: old, new: new))
            case (.message(let old), .message(let new)):
                return pairs.filter { $0.old == old && $0.new == new }
            default: return []
            }
        }
    }

    private func messagePairs(holding type: SchemaComparison.TypePair) -> [SchemaComparison.MessagePair] {
        zip(pairs, reached).filter { $1.contains(type) }.map(\.0)
    }
}
