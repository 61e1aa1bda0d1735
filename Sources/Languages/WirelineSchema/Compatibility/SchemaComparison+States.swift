// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The sender of an exchanged packet, and the states of the connection in each version.
struct ExchangeContext: Equatable {
    var sender: Sender
    /// The states in the version that writes.
    var written = PacketStates()
    /// The states in the version that reads.
    var read = PacketStates()
}

extension SchemaComparison {
    /// The most states in which the packets of a message are tried.
    private static let contextLimit = 16

    /// Compares the states that the packets declare. Packets in different states show the damage of a difference.
    mutating func compareStates() {
        for (index, state) in new.states.enumerated() {
            guard let peer = peer(ofState: state.name, for: .old), let other = old.state(named: peer) else {
                suspectState(state.name, "is a new state", new: state.location)
                continue
            }
            let before = old.states[other]
            if before.name != state.name {
                suspectState(state.name, "was called `\(before.name)`", old: before.location, new: state.location)
            }
            if old.integerFormat(of: before.type) != new.integerFormat(of: new.states[index].type) {
                suspectState(state.name, "has another type", old: before.location, new: state.location)
            }
        }
        for state in old.states where peer(ofState: state.name, for: .new) == nil {
            suspectState(state.name, "is gone", old: state.location)
        }
    }

    private mutating func suspectState(
        _ name: String, _ summary: String, old oldLocation: SourceLocation? = nil,
        new newLocation: SourceLocation? = nil
    ) {
        suspect(.state, "state \(name)", summary, at: .packet, old: oldLocation, new: newLocation)
    }

    mutating func compareStateChanges(_ before: MessageDescription, _ after: MessageDescription, at owner: OwnerPair) {
        guard states(after: before, in: old) != states(after: after, in: new) else { return }
        let words = change(by: before, in: old)
        suspect(
            .state, after.name, words.map { "set `\($0)`" } ?? "set no state", at: .packetsAfter(owner),
            old: before.location, new: after.location, breaks: [.old: [], .new: []])
    }

    /// The states of a new connection after a message, by their names in the new version.
    private func states(after message: MessageDescription, in version: ProtocolDescription) -> PacketStates {
        var states = PacketStates()
        guard let change = message.stateChange else { return states }
        let name = version.states[change.state].name
        states[version == old ? peer(ofState: name, for: .new) ?? name : name] = change.value
        return states
    }

    private func change(by message: MessageDescription, in version: ProtocolDescription) -> String? {
        message.stateChange.map { "\(version.states[$0.state].name) = \($0.value)" }
    }

    /// Returns a version's name for a state of the other one; nil if it has no such state.
    ///
    /// A renamed state has the same position.
    func peer(ofState name: String, for version: SchemaVersion) -> String? {
        let (own, others) = (description(of: version.peer).states, description(of: version).states)
        if others.contains(where: { $0.name == name }) { return name }
        guard let index = own.firstIndex(where: { $0.name == name }), others.indices.contains(index),
            !own.contains(where: { $0.name == others[index].name })
        else { return nil }
        return others[index].name
    }

    /// Returns states with the reader's names.
    func states(_ states: PacketStates, for reader: SchemaVersion) -> PacketStates {
        var result = PacketStates()
        for name in states.names {
            guard let peer = peer(ofState: name, for: reader) else { continue }
            try? description(of: reader).layout.setState(peer, to: states[name], in: &result)
        }
        return result
    }

    /// The contexts in which packets of a writer's message are tried; a single nil if they are the same in all.
    func contexts(of message: Int, for reader: SchemaVersion) -> [ExchangeContext?] {
        let (written, read) = (description(of: reader.peer), description(of: reader))
        let senders = Sender.allCases.filter(written.messages[message].senders.contains)
        guard written.layout.hasStates || read.layout.hasStates else {
            return written.layout.dependsOnContext ? senders.map { ExchangeContext(sender: $0) } : [nil]
        }
        let own = written.layout.exampleContexts ?? senders.map { PacketContext(from: $0) }
        var contexts: [ExchangeContext] = []
        func add(_ context: ExchangeContext) {
            guard senders.contains(context.sender), contexts.count < Self.contextLimit, !contexts.contains(context)
            else { return }
            contexts.append(context)
        }
        for context in own {
            add(
                ExchangeContext(
                    sender: context.sender, written: context.states, read: states(context.states, for: reader)))
        }
        for context in read.layout.exampleContexts ?? [] {
            let written = states(context.states, for: reader.peer)
            add(ExchangeContext(sender: context.sender, written: written, read: states(written, for: reader)))
        }
        return contexts
    }
}
