// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension SchemaComparison {
    mutating func compareMessages() {
        let oldIndices = Dictionary(uniqueKeysWithValues: old.messages.enumerated().map { ($1.name, $0) })
        let newIndices = Dictionary(uniqueKeysWithValues: new.messages.enumerated().map { ($1.name, $0) })
        let newByID = Dictionary(grouping: new.messages.indices) { new.messages[$0].id }
        let reservedIDs = (old: NumberRanges(old.reservedIDs), new: NumberRanges(new.reservedIDs))
        var renamed: Set<Int> = []
        for (index, message) in old.messages.enumerated() {
            if let other = newIndices[message.name] {
                compare(old: index, new: other)
            } else if let other = newByID[message.id]?.first(where: {
                !new.messages[$0].senders.isDisjoint(with: message.senders)
                    && oldIndices[new.messages[$0].name] == nil
            }) {
                renamed.insert(other)
                suspect(
                    .messageName, new.messages[other].name, "was called `\(message.name)`",
                    at: .message(old: index, new: other), old: message.location, new: new.messages[other].location)
                compare(old: index, new: other)
            } else {
                suspectDeleted(message, index, isReserved: reservedIDs.new.contains(Int128(message.id)))
            }
        }
        for (index, message) in new.messages.enumerated()
        where oldIndices[message.name] == nil && !renamed.contains(index) {
            let isReserved = reservedIDs.old.contains(Int128(message.id))
            suspect(
                isReserved ? .reserved : .addition, message.name,
                isReserved ? "has the ID \(message.id), which was reserved" : "is a new message",
                at: .message(old: nil, new: index), new: message.location)
        }
    }

    private mutating func suspectDeleted(_ message: MessageDescription, _ index: Int, isReserved: Bool) {
        suspect(
            .messageDeleted, message.name, isReserved ? "is gone, and its ID reserved" : "is gone",
            at: .message(old: index, new: nil), old: message.location, breaks: isReserved ? [:] : [.new: []])
    }

    private mutating func compare(old oldIndex: Int, new newIndex: Int) {
        let (before, after) = (old.messages[oldIndex], new.messages[newIndex])
        let place = Suspect.Place.message(old: oldIndex, new: newIndex)
        guard before.id == after.id else {
            return suspect(
                .messageID, after.name, "had the ID \(before.id), has \(after.id)", at: place, old: before.location,
                new: after.location, breaks: [.old: [], .new: []])
        }
        if !before.senders.isSubset(of: after.senders) {
            suspect(
                .messageDirection, after.name,
                "is no longer sent by the \(before.senders.subtracting(after.senders).text)",
                at: place, old: before.location, new: after.location, breaks: [.new: []])
        }
        if !after.senders.isSubset(of: before.senders) {
            suspect(
                .addition, after.name, "is sent by the \(after.senders.subtracting(before.senders).text) too",
                at: place,
                old: before.location, new: after.location)
        }
        compareFixedHeaders(before, after, at: place)
        compareReplies(before, after, at: place)
        compareAliases(before.alias, after.alias, of: after.name, at: place, before.location, after.location)
        let senders = before.senders.intersection(after.senders)
        messagePairs.append(MessagePair(old: oldIndex, new: newIndex, senders: senders))
        compareStateChanges(before, after, at: OwnerPair(old: .message(oldIndex), new: .message(newIndex)))
        compareFields(
            ofMessage: OwnerPair(old: .message(oldIndex), new: .message(newIndex)), subject: after.name)
    }

    private mutating func compareFixedHeaders(
        _ before: MessageDescription, _ after: MessageDescription, at place: Suspect.Place
    ) {
        let (left, right) = (old.fixedHeader(of: before), new.fixedHeader(of: after))
        guard left != right else { return }
        let layout = new.layout
        // A field that only one version fixes may have any value in packets of the other.
        let hints = layout.fields.filter { left?[value: $0.name] != right?[value: $0.name] }.flatMap { field in
            field.format.edges.map { ExampleHint.header(PacketHeader(field.name, $0.value)) }
        }
        suspect(
            .packetLayout, after.name, "fixes other header fields, or other values", at: place, old: before.location,
            new: after.location, breaks: [.old: hints, .new: hints])
    }

    /// Compares the replies of a message; their order means nothing.
    private mutating func compareReplies(
        _ before: MessageDescription, _ after: MessageDescription, at place: Suspect.Place
    ) {
        guard Set(before.replies) != Set(after.replies) else { return }
        let come = after.replies.filter { !isAmong(before.replies, of: old, new.message(named: $0)) }
        // A reply that is gone without a replacement is reported itself.
        let gone = before.replies.filter { name in
            !isAmong(after.replies, of: new, old.message(named: name))
                && (!come.isEmpty || new.message(named: name) != nil)
        }
        let summary: String
        switch (gone.isEmpty, come.isEmpty) {
        case (true, true): return
        case (true, false) where before.replies.isEmpty: summary = "was answered by nothing, is by \(come.text)"
        case (true, false): summary = "may also be answered by \(come.text)"
        case (false, true) where after.replies.isEmpty: summary = "was answered by \(gone.text), is by nothing"
        case (false, true): summary = "is no longer answered by \(gone.text)"
        case (false, false): summary = "was answered by \(gone.text), is by \(come.text)"
        }
        suspect(.reply, after.name, summary, at: place, old: before.location, new: after.location)
    }

    /// Whether a message is among those of the other version, perhaps with another name.
    private func isAmong(
        _ names: [String], of version: ProtocolDescription, _ message: MessageDescription?
    ) -> Bool {
        guard let message else { return false }
        return names.contains { name in
            guard let other = version.message(named: name) else { return false }
            return other.name == message.name || other.id == message.id && other.senders == message.senders
        }
    }

    mutating func compareAliases(
        _ before: String?, _ after: String?, of subject: String, at place: Suspect.Place, _ oldLocation: SourceLocation,
        _ newLocation: SourceLocation
    ) {
        guard before != after else { return }
        let summary = "`@name` was \(before.text), is \(after.text)"
        suspect(.alias, subject, summary, at: place, old: oldLocation, new: newLocation)
    }
}

extension String? {
    fileprivate var text: String { map { "`\($0)`" } ?? "nothing" }
}

extension [String] {
    fileprivate var text: String { map { "`\($0)`" }.joined(separator: " or ") }
}

extension Set<Sender> {
    fileprivate var text: String { Sender.allCases.filter(contains).map(\.rawValue).joined(separator: " and the ") }
}
