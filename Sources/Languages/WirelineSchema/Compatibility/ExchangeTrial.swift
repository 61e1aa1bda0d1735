// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Lets two versions exchange packets, to find one that shows the damage of a change.
struct ExchangeTrial {
    private let comparison: SchemaComparison
    private let translators: [SchemaVersion: PacketTranslator]
    /// The messages that use each declared type and each structure's fields.
    private let uses: Uses
    private let hasConditions: Bool
    /// The source of random values.
    private let pool: EdgePool
    /// The results of candidates without a hint, for the current message; they are the same for all its changes.
    private var attempts: [Direction: CommonAttempts] = [:]
    /// The number of candidates without a hint that were tried without any failure.
    private var harmless: [Direction: Int] = [:]
    /// Any packet that fails, for whatever change.
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

    /// The results of the first candidates without a hint.
    private struct CommonAttempts {
        var triedCount = 0
        /// The failures, by the index of the candidate.
        var faulty: [Int: Exchange.Attempt] = [:]
    }

    /// The first failing packet of at least this size is taken: 64 KiB.
    private static let largePacketByteCount = 1 << 16
    /// The most bytes tried for single changes: 64 MiB.
    ///
    /// Beyond it, other changes of a failing message count as breaking it, without a packet of their own. Otherwise a
    /// schema in which every field has changed would take time quadratic in its fields.
    private static let triedByteLimit = 1 << 26
    /// The number of further tries for a packet that shows this change, after a packet failed for another reason.
    private static let patience = 8
    /// Counts that make a packet larger than a limit, whatever its prefixes take.
    private static let extraCounts = [0, 1, 2, 4, 8, 16, 32, 64]
    /// Counts for structures and unions; one of them gives a value 128 to 255 bytes, whatever its fields take.
    ///
    /// Only in this range, a size has one byte as a number and two as a varint. The first counts reach it with items of
    /// 1, 2, 4, 8 and 16 bytes.
    private static let bodyExtraCounts = [125, 65, 35, 20, 10] + Array(1...255)

    init(_ comparison: SchemaComparison) {
        self.comparison = comparison
        translators = [.old: comparison.translator(of: .old), .new: comparison.translator(of: .new)]
        uses = Uses(comparison)
        pool = EdgePool([comparison.old, comparison.new])
        hasConditions = comparison.old.hasConditions || comparison.new.hasConditions
    }

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
        case .packetsAfter(let owner):
            if case .message(let new) = owner.new { [comparison.new.messages[new].name] } else { [] }
        default: pairs.map { comparison.new.messages[$0.new].name }
        }
    }

    private mutating func failure(
        of suspect: SchemaComparison.Suspect, _ pairs: [SchemaComparison.MessagePair], _ reader: SchemaVersion,
        _ hints: [ExampleHint]
    ) -> SchemaChange.Failure? {
        if case .message(let old, let new) = suspect.place {
            let candidates = [Candidate(values: .plain)] + hints.map { Candidate(values: .plain, hint: $0) }
            for candidate in candidates {
                let (written, read) = reader == .new ? (old, new) : (new, old)
                if let failure = lostMessage(written, as: read, reader, candidate) { return failure }
            }
            return nil
        }
        if case .packetsAfter(let owner) = suspect.place { return failureAfter(owner, reader) }
        for pair in pairs {
            let choices = hasConditions ? comparison.operandChoices(of: uses.owners(of: pair), for: reader) : []
            let common = CommonCandidates(choices, forEachOf: pairs.count)
            let candidates = candidates(hints, choices, target: suspect.place.type(in: reader.peer))
            if let failure = failure(of: suspect, pair, reader, candidates, common) { return failure }
        }
        // A message that only the writer knows may be the only one that shows it.
        guard suspect.place == .packet else { return nil }
        return refusedMessage(reader, hints, suspect.change.rule)
    }

    /// Finds a packet that fails after one of a message, because the two versions then have other states.
    private func failureAfter(
        _ owner: SchemaComparison.OwnerPair, _ reader: SchemaVersion
    ) -> SchemaChange.Failure? {
        guard case .message(let old) = owner.old, case .message(let new) = owner.new else { return nil }
        let (written, read) = reader == .new ? (comparison.old, comparison.new) : (comparison.new, comparison.old)
        let (sent, seen) = reader == .new ? (old, new) : (new, old)
        for changer in Sender.allCases where written.messages[sent].senders.contains(changer) {
            var context = ExchangeContext(sender: changer)
            written.layout.apply(written.messages[sent].id, from: changer, to: &context.written)
            read.layout.apply(read.messages[seen].id, from: changer, to: &context.read)
            for pair in comparison.messagePairs {
                for sender in Sender.allCases where pair.senders.contains(sender) {
                    context.sender = sender
                    let exchange = Exchange(
                        comparison, translators, pool, pair: pair, reader: reader, isOfPacket: true,
                        contexts: [context])
                    for values in [ExampleValues.Style.plain, .zero] {
                        guard let attempt = exchange.attempt(Candidate(values: values)),
                            let failure = exchange.failure(of: attempt, fieldNames: nil)
                        else { continue }
                        return failure
                    }
                }
            }
        }
        return nil
    }

    private mutating func failure(
        of suspect: SchemaComparison.Suspect, _ pair: SchemaComparison.MessagePair, _ reader: SchemaVersion,
        _ candidates: [Candidate], _ common: CommonCandidates
    ) -> SchemaChange.Failure? {
        let direction = Direction(
            old: pair.old, new: pair.new, reader: reader, isOfPacket: suspect.place == .packet)
        if triedByteCount > Self.triedByteLimit, let example = examples[direction] { return example }
        let exchange = Exchange(
            comparison, translators, pool, pair: pair, reader: reader, isOfPacket: direction.isOfPacket)
        var other: SchemaChange.Failure?
        var patience = Self.patience
        for index in 0..<candidates.count + common.count {
            if other != nil { patience -= 1 }
            guard patience > 0 else { break }
            let attempt =
                index < candidates.count
                ? attempt(candidates[index], exchange)
                : attempt(common, index - candidates.count, exchange, direction)
            guard let attempt else { continue }
            if attempt.packet.count > Self.largePacketByteCount { patience = min(patience, 1) }
            guard let failure = exchange.failure(of: attempt, fieldNames: suspect.fieldNames) else { continue }
            examples[direction] = examples[direction] ?? failure
            // If several changes fail together, a packet that shows this one is preferred.
            if failure.outcome.names(suspect.change.subject) { return failure }
            other = other ?? failure
        }
        return other
    }

    private mutating func attempt(_ candidate: Candidate, _ exchange: Exchange) -> Exchange.Attempt? {
        let attempt = exchange.attempt(candidate)
        triedByteCount += attempt?.packet.count ?? 0
        return attempt
    }

    /// Tries a candidate without a hint, or returns its kept result; nil without a failure.
    private mutating func attempt(
        _ common: CommonCandidates, _ index: Int, _ exchange: Exchange, _ direction: Direction
    ) -> Exchange.Attempt? {
        if index < harmless[direction, default: 0] { return nil }
        if let kept = attempts[direction], index < kept.triedCount { return kept.faulty[index] }
        // Only results of the current message are kept, for both readers.
        if attempts.count > 1, attempts[direction] == nil { attempts = [:] }
        let attempt = attempt(common[index], exchange)
        let isFaulty = attempt?.outcomes.isEmpty == false
        // They come in order.
        attempts[direction, default: CommonAttempts()].triedCount = index + 1
        if isFaulty { attempts[direction]?.faulty[index] = attempt }
        if attempts[direction]?.faulty.isEmpty == true { harmless[direction] = index + 1 }
        return isFaulty ? attempt : nil
    }

    /// Finds a message whose packet the reader refuses, whether it knows the message or not.
    private func refusedMessage(
        _ reader: SchemaVersion, _ hints: [ExampleHint], _ rule: CompatibilityRule
    ) -> SchemaChange.Failure? {
        let messages = comparison.description(of: reader.peer).messages.indices
        let common = CommonCandidates(forEachOf: messages.count)
        let candidates = candidates(hints) + (0..<common.count).map { common[$0] }
        // If the layout differs, anything may be read from the wrong place; otherwise only the header can be refused.
        let mayBeAnything = rule == .packetLayout || rule == .layer
        for message in messages {
            for candidate in candidates {
                guard let failure = lostMessage(message, reader, candidate), case .refused(let error) = failure.outcome
                else { continue }
                if mayBeAnything || error.path.isEmpty || error.path.hasPrefix("packet.") { return failure }
            }
        }
        return nil
    }

    /// Returns the candidates to try, the most promising first.
    ///
    /// - Parameters:
    ///   - choices: Numbers for operands of conditions; each is tried with every hint for small values.
    ///   - target: The declared type that the values should have somewhere inside.
    private func candidates(
        _ hints: [ExampleHint], _ choices: [OperandValues] = [], target: TypeDescription? = nil
    ) -> [Candidate] {
        var result: [Candidate] = []
        if hints.isEmpty, target != nil { result = [.plain, .zero].map { Candidate(values: $0) } }
        for hint in hints {
            switch hint {
            case .packetByteCount:
                result += Self.extraCounts.map { Candidate(values: .plain, hint: hint, extra: $0) }
            case .largeBody:
                result += Self.bodyExtraCounts.flatMap { extra in
                    [.zero, .plain].map { Candidate(values: $0, hint: hint, extra: extra) }
                }
            // With zeros or small values around the hint, little else can fail.
            default: result += [.zero, .plain].map { Candidate(values: $0, hint: hint) }
            }
        }
        for index in result.indices { result[index].target = target }
        // Large values take time. They get only the first choice, with which most fields are present.
        result += choices.prefix(hints.contains(where: \.isLarge) ? 1 : choices.count).flatMap { choice in
            let hinted = result.map { candidate in
                var candidate = candidate
                candidate.operands = choice
                return candidate
            }
            return hinted + [.zero, .plain].map { Candidate(values: $0, target: target, operands: choice) }
        }
        return result
    }

    /// Finds a failure of a message that the reader does not know, or takes for another one.
    ///
    /// - Parameter peer: The message that the reader takes for the same one; nil for one of the same name.
    private func lostMessage(
        _ message: Int?, as peer: Int? = nil, _ reader: SchemaVersion, _ candidate: Candidate
    ) -> SchemaChange.Failure? {
        guard let message, let translator = translators[reader.peer] else { return nil }
        let written = comparison.description(of: reader.peer)
        let description = written.messages[message]
        let name = peer.map { comparison.description(of: reader).messages[$0].name } ?? description.name
        let writer = ExampleWriter(description: written, translator: translator, pool: pool)
        for context in comparison.contexts(of: message, for: reader) {
            // The content of an opaque packet is not a message that could be lost.
            guard let packet = writer.packet(ofMessage: message, candidate, in: context), packet.kind != .opaque
            else { continue }
            for sender in Sender.allCases
            where description.senders.contains(sender) && sender == context?.sender ?? sender {
                let states = context?.read ?? PacketStates()
                guard let outcome = outcome(of: packet.bytes, named: name, sender, states, reader) else { continue }
                return SchemaChange.Failure(
                    reader: reader, sender: sender, message: description.name, packet: packet.bytes,
                    content: (try? written.layout.unframed(packet.bytes)) ?? packet.bytes, sent: packet.sent,
                    outcome: outcome, keys: comparison.madeUpKeys(of: reader.peer))
            }
        }
        return nil
    }

    /// Returns the outcome; nil if the reader reads the packet as the same message.
    private func outcome(
        of packet: [UInt8], named name: String, _ sender: Sender, _ states: PacketStates, _ reader: SchemaVersion
    ) -> SchemaChange.Outcome? {
        guard let translator = translators[reader] else { return nil }
        do throws(CodecError) {
            let span = packet.span
            // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
            let line = try unsafe translator.decode(span.bytes, in: PacketContext(from: sender, states: states))
                .firstMessage
            guard case .string(let found)? = line[LineKey.message], let fields = line[LineKey.fields] else {
                return .unknownMessage
            }
            return found == name ? nil : .misread(message: found, fields: fields, nil)
        } catch {
            return .refused(error)
        }
    }
}

extension ExampleHint {
    /// Whether it asks for values that may be large; many of them are tried.
    fileprivate var isLarge: Bool {
        switch self {
        case .packetByteCount, .largeBody: true
        default: false
        }
    }
}

extension SchemaComparison.Suspect.Place {
    /// The declared type that this is, or contains this, in a version; nil for messages and the packet.
    fileprivate func type(in version: SchemaVersion) -> TypeDescription? {
        switch self {
        case .packet, .message, .packetsAfter: return nil
        case .owner(let owner): return (version == .old ? owner.old : owner.new).type
        // The byte order does not matter.
        case .type(.structure(let old, let new)): return .structure(version == .old ? old : new)
        case .type(.union(let old, let new)): return .union(version == .old ? old : new)
        case .type(.enumeration(let old, let new)): return .enumeration(version == .old ? old : new, .bigEndian)
        case .type(.flags(let old, let new)): return .flags(version == .old ? old : new, .bigEndian)
        }
    }
}

extension SchemaChange.Outcome {
    /// Whether the field that fails is the last name of a subject.
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
    /// The types in each message, by the index of its pair, through all structures and unions.
    private let reached: [Set<SchemaComparison.TypePair>]

    init(_ comparison: SchemaComparison) {
        pairs = comparison.messagePairs
        reached = comparison.messagePairs.map { pair in
            var found: Set<SchemaComparison.TypePair> = []
            var waiting = [SchemaComparison.OwnerPair(old: .message(pair.old), new: .message(pair.new))]
            while let owner = waiting.popLast() {
                for type in comparison.contents[owner] ?? [] where found.insert(type).inserted {
                    switch type {
                    case .structure(let old, let new):
                        waiting.append(SchemaComparison.OwnerPair(old: .structure(old), new: .structure(new)))
                    case .union(let old, let new):
                        waiting.append(SchemaComparison.OwnerPair(old: .union(old), new: .union(new)))
                    case .enumeration, .flags: break
                    }
                }
            }
            return found
        }
    }

    func messagePairs(of place: SchemaComparison.Suspect.Place) -> [SchemaComparison.MessagePair] {
        switch place {
        case .packet, .message, .packetsAfter: return pairs
        case .type(let type): return messagePairs(holding: type)
        case .owner(let owner):
            switch (owner.old, owner.new) {
            case (.structure(let old), .structure(let new)):
                return messagePairs(holding: .structure(old: old, new: new))
            case (.union(let old), .union(let new)):
                return messagePairs(holding: .union(old: old, new: new))
            case (.message(let old), .message(let new)):
                return pairs.filter { $0.old == old && $0.new == new }
            default: return []
            }
        }
    }

    /// Returns a message, and the structures that it reaches.
    func owners(of pair: SchemaComparison.MessagePair) -> [SchemaComparison.OwnerPair] {
        guard let index = pairs.firstIndex(where: { $0.old == pair.old && $0.new == pair.new }) else { return [] }
        let structures = reached[index].compactMap { type in
            if case .structure(let old, let new) = type { (old: old, new: new) } else { nil }
        }
        return [SchemaComparison.OwnerPair(old: .message(pair.old), new: .message(pair.new))]
            + structures.sorted { ($0.old, $0.new) < ($1.old, $1.new) }.map {
                SchemaComparison.OwnerPair(old: .structure($0.old), new: .structure($0.new))
            }
    }

    private func messagePairs(holding type: SchemaComparison.TypePair) -> [SchemaComparison.MessagePair] {
        zip(pairs, reached).filter { $1.contains(type) }.map(\.0)
    }
}
