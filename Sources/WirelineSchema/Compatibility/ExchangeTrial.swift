// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Lets two versions exchange packets, to find one that shows what a change breaks.
struct ExchangeTrial {
    private let comparison: SchemaComparison
    private let translators: [SchemaVersion: PacketTranslator]
    /// The messages that use each declared type and each structure's fields.
    private let uses: Uses
    /// The results of the first candidates without a hint, which are the same for all changes of the current message.
    private var attempts: [Direction: [Exchange.Attempt?]] = [:]
    /// A packet that goes wrong, whatever change it shows.
    private var examples: [Direction: SchemaChange.Failure] = [:]
    /// The number of bytes of packets tried for single changes.
    private var triedByteCount = 0

    /// A message that one version writes and the other reads.
    private struct Direction: Hashable {
        var old: Int
        var new: Int
        var reader: SchemaVersion
        var isOfPacket: Bool
    }

    /// The number of kept results without a hint: those of edge values, which show most changes.
    private static let keptCount = 4
    /// The size above which the first packet that goes wrong is taken: 64 KiB.
    private static let largePacketByteCount = 1 << 16
    /// The most bytes tried for single changes: 64 MiB.
    ///
    /// After that, other changes of a message that goes wrong anyway count as breaking it, without a packet of their
    /// own. Otherwise a schema in which every field has changed would take time quadratic in its fields.
    private static let triedByteLimit = 1 << 26
    /// The number of random values tried if edge values show nothing.
    private static let randomCount = 60
    /// The number of further tries for a packet that shows this change, after another one that goes wrong was found.
    private static let patience = 8
    /// Counts that make a packet larger than a limit, whatever its prefixes take.
    private static let extraCounts = [0, 1, 2, 4, 8, 16, 32, 64]
    /// Counts for structures; one of them gives a structure 128 to 255 bytes, whatever its fields take.
    ///
    /// Only in this range, a size has one byte as a number and two as a varint.
    private static let structureExtraCounts = 1...255

    init(_ comparison: SchemaComparison) {
        self.comparison = comparison
        translators = [.old: PacketTranslator(comparison.old), .new: PacketTranslator(comparison.new)]
        uses = Uses(comparison)
    }

    /// Returns the change with what it breaks.
    mutating func change(of suspect: SchemaComparison.Suspect) -> SchemaChange {
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

    private mutating func failure(
        of suspect: SchemaComparison.Suspect, _ pairs: [SchemaComparison.MessagePair], _ reader: SchemaVersion,
        _ hints: [ExampleHint]
    ) -> SchemaChange.Failure? {
        if case .message(let old, let new) = suspect.place {
            return lostMessage(reader == .new ? old : new, reader)
        }
        let candidates = candidates(hints)
        for pair in pairs {
            if let failure = failure(of: suspect, pair, reader, candidates) { return failure }
        }
        // A message that only the writer knows may be the only one that shows it.
        guard suspect.place == .packet else { return nil }
        return refusedMessage(reader, hints, suspect.change.rule)
    }

    /// Finds a packet of one message that goes wrong.
    private mutating func failure(
        of suspect: SchemaComparison.Suspect, _ pair: SchemaComparison.MessagePair, _ reader: SchemaVersion,
        _ candidates: [Candidate]
    ) -> SchemaChange.Failure? {
        let direction = Direction(
            old: pair.old, new: pair.new, reader: reader, isOfPacket: suspect.place == .packet)
        if triedByteCount > Self.triedByteLimit, let example = examples[direction] { return example }
        let exchange = Exchange(
            comparison, translators, pair: pair, reader: reader, isOfPacket: direction.isOfPacket)
        var other: SchemaChange.Failure?
        var patience = Self.patience
        for candidate in candidates {
            if other != nil { patience -= 1 }
            guard patience > 0 else { break }
            guard let attempt = attempt(candidate, exchange, direction) else { continue }
            if attempt.packet.count > Self.largePacketByteCount { patience = min(patience, 1) }
            guard let failure = exchange.failure(of: attempt, fieldNames: suspect.fieldNames) else { continue }
            examples[direction] = examples[direction] ?? failure
            // If several changes go wrong together, a packet that shows this one is preferred.
            if failure.outcome.names(suspect.change.subject) { return failure }
            other = other ?? failure
        }
        return other
    }

    /// Tries a candidate, or returns its kept result.
    private mutating func attempt(
        _ candidate: Candidate, _ exchange: Exchange, _ direction: Direction
    ) -> Exchange.Attempt? {
        guard let place = candidate.commonPlace, place < Self.keptCount else {
            let attempt = exchange.attempt(candidate)
            triedByteCount += attempt?.packet.count ?? 0
            return attempt
        }
        let kept = attempts[direction] ?? []
        if place < kept.count { return kept[place] }
        let attempt = exchange.attempt(candidate)
        // Only results of the current message are kept, for both readers.
        if attempts.count > 1, attempts[direction] == nil { attempts = [:] }
        // They come in order.
        if place == kept.count { attempts[direction, default: []].append(attempt) }
        return attempt
    }

    /// Finds a message whose packet the reader refuses, whether it knows the message or not.
    private func refusedMessage(
        _ reader: SchemaVersion, _ hints: [ExampleHint], _ rule: CompatibilityRule
    ) -> SchemaChange.Failure? {
        let candidates = candidates(hints)
        // If the layout differs, anything may be read from the wrong place; otherwise only the header can be refused.
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

    /// Returns the candidates to try, the most promising first.
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
            // With zeros or small values around the hint, little else can go wrong.
            default: result += [.zero, .plain].map { Candidate(values: $0, hint: hint) }
            }
        }
        let styles: [ExampleValues.Style] =
            [.plain, .zero, .most, .least] + (0..<Self.randomCount).map { .random(seed: UInt64($0)) }
        result += styles.enumerated().map { Candidate(values: $1, commonPlace: $0) }
        return result
    }

    /// Finds a failure of a message that the reader does not know, or takes for another one.
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

    /// Returns the outcome; nil if the reader reads the packet as the same message.
    private func outcome(
        of packet: [UInt8], named name: String, _ sender: Sender, _ reader: SchemaVersion
    ) -> SchemaChange.Outcome? {
        guard let translator = translators[reader] else { return nil }
        do throws(CodecError) {
            let span = packet.span
            // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
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

/// Finds the messages that use a part of the two versions.
private struct Uses {
    private let pairs: [SchemaComparison.MessagePair]
    /// The types in each message, by the index of its pair, through all structures.
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
