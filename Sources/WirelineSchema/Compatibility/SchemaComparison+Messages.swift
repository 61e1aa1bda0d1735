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
        if before.reply != after.reply, !isRenamedOrGone(before.reply, after.reply) {
            suspect(
                .reply, after.name, "was answered by \(before.reply.text), is by \(after.reply.text)", at: place,
                old: before.location, new: after.location)
        }
        compareAliases(before.alias, after.alias, of: after.name, at: place, before.location, after.location)
        let senders = before.senders.intersection(after.senders)
        messagePairs.append(MessagePair(old: oldIndex, new: newIndex, senders: senders))
        compareFields(
            ofMessage: OwnerPair(old: .message(oldIndex), new: .message(newIndex)), subject: after.name)
    }

    /// Whether the change is reported for the reply itself.
    private func isRenamedOrGone(_ before: String?, _ after: String?) -> Bool {
        guard let before, let left = old.message(named: before) else { return false }
        guard let after, let right = new.message(named: after) else { return new.message(named: before) == nil }
        return left.id == right.id && left.senders == right.senders
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

extension Set<Sender> {
    fileprivate var text: String { Sender.allCases.filter(contains).map(\.rawValue).joined(separator: " and the ") }
}
