// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The sender and the ID in a message's name, such as `Cs_20001`.
private struct NameMeaning {
    var sender: Sender?
    /// The ID; the largest number if there are too many digits, nil if there are none.
    var id: Int128?

    init(_ name: String) {
        if name.hasPrefix("Cs_") { sender = .client } else if name.hasPrefix("Sc_") { sender = .server }
        let digits = name.utf8.dropFirst(3)
        if sender != nil, !digits.isEmpty, digits.allSatisfy(\.isDigit) { id = Int128(name.dropFirst(3)) ?? .max }
    }
}

extension Checker {
    mutating func checkReservedIDs() {
        for declared in declarations.reserved {
            refuseAttributes(declared.declaration.attributes, at: .reserved)
            for (range, span) in reservedRanges(declared.syntax) {
                guard range.lowerBound >= 0 else {
                    reporter.error(
                        "message IDs are not negative", at: span, help: "values of an enum are reserved inside it")
                    continue
                }
                description.reservedIDs.append(UInt64(range.lowerBound)...UInt64(range.upperBound))
            }
        }
    }

    /// Finds IDs, directions and replies, and checks that messages can be told apart.
    mutating func checkMessages() {
        var replies: [(message: Int, names: [NameSyntax])] = []
        for (index, declared) in declarations.messages.enumerated() {
            let (name, attributes) = (declared.syntax.name, attributes(declared.declaration.attributes, at: .message))
            let (id, senders) = identity(name, attributes)
            var message = MessageDescription(
                name: name.text, id: id ?? 0, senders: senders ?? [], fields: [],
                location: reporter.location(of: name.span))
            message.alias = alias(attributes)
            message.deprecation = deprecation(attributes)
            message.documentation = declared.declaration.documentation
            message.headerValues = headerValues(attributes)
            message.stateChange = stateChange(attributes)
            refuseFixedOperands(in: declared.syntax.fields, message.headerValues)
            if id != nil { refuseImpossibleID(of: message, at: attributes.integer(.id)?.span ?? name.span) }
            description.messages.append(message)
            identifiedMessages.append(id != nil && senders != nil)
            let names = attributes.names(.reply)
            if !names.isEmpty { replies.append((index, names)) }
        }
        description.layout = description.layout.withStateChanges(description.stateChanges)
        reportHomelessIDs()
        checkIDs()
        pairReplies(explicit: replies)
    }

    // MARK: ID and direction

    /// Returns the ID and the senders; nil for each that was reported.
    private mutating func identity(
        _ name: NameSyntax, _ attributes: AttributeSet
    ) -> (id: UInt64?, senders: Set<Sender>?) {
        guard !name.isFaulty else { return (nil, nil) }
        let meaning = NameMeaning(name.text)
        let needsID = description.layout.hasMessageID && meaning.id == nil && !attributes.has(.id)
        let needsSender = meaning.sender == nil && !attributes.has(.from)
        if needsID || needsSender {
            reportMissing(name, needsID: needsID && !hasFaultyLayout, needsSender: needsSender)
        }
        let senders = senders(name, meaning, attributes)
        return (hasFaultyLayout ? nil : id(name, meaning, attributes), senders)
    }

    private func reportMissing(_ name: NameSyntax, needsID: Bool, needsSender: Bool) {
        switch (needsID, needsSender) {
        case (true, true):
            reporter.error(
                "message \(name.text.quoted) has no ID and no direction", at: name.span,
                help: "name it `Cs_<ID>` or `Sc_<ID>`, or write `@id(…) @from(client|server|both)` before it")
        case (true, false):
            reporter.error(
                "message \(name.text.quoted) has no ID", at: name.span,
                help: "name it `Cs_<ID>` or `Sc_<ID>`, or write `@id(…)` before it")
        case (false, true):
            reporter.error(
                "message \(name.text.quoted) has no direction", at: name.span,
                help: "name it `Cs_…` or `Sc_…`, or write `@from(client|server|both)` before it")
        case (false, false): break
        }
    }

    private func senders(_ name: NameSyntax, _ meaning: NameMeaning, _ attributes: AttributeSet) -> Set<Sender>? {
        let named = meaning.sender.map { Set([$0]) }
        guard let from = attributes.name(.from) else { return named }
        let senders: Set<Sender>
        switch from.text {
        case "client": senders = [.client]
        case "server": senders = [.server]
        case "both": senders = [.client, .server]
        default:
            if !from.isFaulty {
                reporter.error(
                    "\(from.text.quoted) sends no messages", at: from.span, help: "it is `client`, `server` or `both`")
            }
            return named
        }
        if let sender = meaning.sender, senders != [sender] {
            reporter.error(
                "`@from(\(from.text))` contradicts the name \(name.text.quoted)", at: from.span,
                help: "`\(name.text.prefix(3))` is a message from the \(sender.rawValue): rename it, or remove `@from`")
            return nil
        }
        return senders
    }

    private mutating func id(_ name: NameSyntax, _ meaning: NameMeaning, _ attributes: AttributeSet) -> UInt64? {
        guard description.layout.hasMessageID else {
            guard let span = attributes.span(of: .id) ?? (meaning.id == nil ? nil : name.span) else { return 0 }
            idsWithoutField.append((name.text, span))
            return nil
        }
        let limit = description.layout.maximumMessageID
        let explicit = attributes.integer(.id)
        if attributes.has(.id), explicit == nil { return nil }
        guard let value = explicit?.value ?? meaning.id else { return nil }
        let span = explicit?.span ?? name.span
        guard (0...Int128(limit)).contains(value) else {
            let text = value == .max ? "ID \(String(name.text.dropFirst(3)).quoted)" : "ID \(value)"
            reporter.error("\(text) does not fit in the packet", at: span, help: "IDs go from 0 to \(limit)")
            return nil
        }
        if let explicit, let named = meaning.id, named != explicit.value {
            reporter.error(
                "`@id(\(explicit.value))` contradicts the name \(name.text.quoted)", at: explicit.span,
                help: "the digits are the ID: rename the message, or remove `@id`")
            return nil
        }
        return UInt64(value)
    }

    /// Reports all messages with an ID at once: one missing `@id` is one mistake.
    private func reportHomelessIDs() {
        guard let first = idsWithoutField.first else { return }
        let others =
            switch idsWithoutField.count - 1 {
            case 0: ""
            case 1: ", and so has \(idsWithoutField[1].name.quoted)"
            case let count: ", and so have \(count) others"
            }
        reporter.error(
            "message \(first.name.quoted) has an ID\(others), but the packet has no field for it", at: first.span,
            help: "put `@id` before a field of the `packet`, or name the message without a number")
    }

    private func checkIDs() {
        struct Key: Hashable {
            var id: UInt64
            var sender: Sender
        }
        let reserved = NumberRanges(description.reservedIDs)
        let hasID = description.layout.hasMessageID
        var first: [Key: Int] = [:]
        for (index, message) in description.messages.enumerated() where identifiedMessages[index] {
            let span = declarations.messages[index].syntax.name.span
            var other: (message: Int, sender: Sender)?
            for sender in Sender.allCases where message.senders.contains(sender) {
                let key = Key(id: message.id, sender: sender)
                if let earlier = first[key] { other = other ?? (earlier, sender) } else { first[key] = index }
            }
            if let (earlier, sender) = other { reportTwice(index, earlier, sender, at: span) }
            if hasID, reserved.contains(Int128(message.id)) {
                reporter.error(
                    "ID \(message.id) of \(message.name.quoted) is reserved", at: span,
                    help: "choose an ID that no old program knows")
            }
        }
    }

    private func reportTwice(_ index: Int, _ earlier: Int, _ sender: Sender, at span: SourceSpan) {
        let (message, other) = (description.messages[index], description.messages[earlier])
        let otherSpan = declarations.messages[earlier].syntax.name.span
        // Equal names are reported elsewhere.
        guard message.name != other.name else { return }
        let place = reporter.place(of: otherSpan)
        if description.layout.hasMessageID {
            reporter.error(
                "ID \(message.id) from the \(sender.rawValue) is used twice: by \(other.name.quoted) in \(place) "
                    + "and by \(message.name.quoted)",
                at: span, help: "give one of them another ID", related: [.first(otherSpan)])
        } else {
            reporter.error(
                "a second message from the \(sender.rawValue); the first is \(other.name.quoted) in \(place)", at: span,
                help: "packets without `@id` carry one message in each direction", related: [.first(otherSpan)])
        }
    }

    // MARK: Replies

    private mutating func pairReplies(explicit: [(message: Int, names: [NameSyntax])]) {
        var byID: [UInt64: Int] = [:]
        for (index, message) in description.messages.enumerated() where message.name.hasPrefix("Sc_") {
            if NameMeaning(message.name).id != nil, identifiedMessages[index] { byID[message.id] = index }
        }
        let chosen = Set(explicit.map(\.message))
        for (index, message) in description.messages.enumerated()
        where message.name.hasPrefix("Cs_") && identifiedMessages[index] && !chosen.contains(index) {
            guard NameMeaning(message.name).id != nil, let reply = byID[message.id] else { continue }
            description.messages[index].replies = [description.messages[reply].name]
        }
        let byAlias = Dictionary(
            description.messages.enumerated().compactMap { index, message in message.alias.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
        for (index, names) in explicit {
            for name in names { addReply(to: index, name, byAlias) }
        }
    }

    private mutating func addReply(to index: Int, _ name: NameSyntax, _ byAlias: [String: Int]) {
        var reply = byAlias[name.text]
        if case .message(let declared)? = symbols[name.text]?.meaning { reply = declared }
        guard let reply else {
            guard !name.isFaulty, !lostNames.contains(name.text) else { return }
            let help = spelling.help(for: name.text, among: description.messages.lazy.map(\.name))
            return reporter.error("unknown message \(name.text.quoted)", at: name.span, help: help)
        }
        guard identifiedMessages[index], identifiedMessages[reply] else { return }
        let request = description.messages[index]
        let answerers = Set(request.senders.map(\.peer))
        guard answerers.isSubset(of: description.messages[reply].senders) else {
            let sides = Sender.allCases.filter(answerers.contains).map { "the \($0.rawValue)" }
            return reporter.error(
                "\(name.text.quoted) cannot answer \(request.name.quoted): \(sides.joined(separator: " and ")) must send it",
                at: name.span, help: "a reply comes from the other side")
        }
        let replyName = description.messages[reply].name
        guard !description.messages[index].replies.contains(replyName) else {
            return reporter.error(
                "\(name.text.quoted) is a reply to \(request.name.quoted) already", at: name.span,
                help: "name each reply once")
        }
        description.messages[index].replies.append(replyName)
    }
}
