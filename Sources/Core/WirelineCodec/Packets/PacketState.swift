// SPDX-License-Identifier: Apache-2.0

/// A number that belongs to a connection, and decides about the fields of its packets: `state bit started;`.
///
/// It is not on the wire. Both directions share it, and it is 0 at first. The program sets it, or a message does
/// (``PacketStateChange``).
public struct PacketState: Equatable, Sendable {
    /// The name in the schema.
    public let name: String
    /// The integer that holds it; a `bool` and a `bit` have one bit.
    public let format: IntegerFormat

    /// Makes a state.
    ///
    /// - Parameters:
    ///   - name: The name that conditions use.
    ///   - format: The integer that holds it; one unsigned bit for true and false.
    public init(_ name: String, _ format: IntegerFormat) {
        self.name = name
        self.format = format
    }

    /// Refuses a number that the state cannot hold.
    ///
    /// - Throws: ``CodecError/Reason/outOfRange(value:minimum:maximum:)`` at `state.name`.
    package func check(_ value: Int128) throws(CodecError) {
        guard !format.range.contains(value) else { return }
        throw CodecError(
            .outOfRange(value: value, minimum: format.range.lowerBound, maximum: format.range.upperBound)
        ).prefixed(by: "state." + name)
    }
}

/// A change that a message makes to a state, for packets that begin after its own: `@sets(phase = play)`.
public struct PacketStateChange: Equatable, Sendable {
    /// The message's ID.
    public let messageID: UInt64
    /// The end that sends the message.
    public let sender: Sender
    /// The name of the state.
    public let state: String
    /// The number that it becomes.
    public let value: Int128

    /// Makes a change.
    public init(messageID: UInt64, from sender: Sender, sets state: String, to value: Int128) {
        self.messageID = messageID
        self.sender = sender
        self.state = state
        self.value = value
    }
}

/// The states of a connection, by name; a state that is not set is 0.
///
/// ```swift
/// let states: PacketStates = ["started": 1]
/// ```
public struct PacketStates: Hashable, Sendable {
    /// The names of the states that are not 0 with their numbers, ordered by name.
    ///
    /// So equal states are equal values, and the states of a new connection take no memory.
    private var entries: [Entry] = []

    private struct Entry: Hashable, Sendable {
        var name: String
        var value: Int128
    }

    /// Makes the states of a new connection: all are 0.
    public init() {}

    /// The number of the state with this name; a `bool` is 0 or 1.
    public subscript(name: String) -> Int128 {
        get { entries.first { $0.name == name }?.value ?? 0 }
        set {
            let index = entries.firstIndex { $0.name >= name } ?? entries.count
            let isSet = index < entries.count && entries[index].name == name
            switch (isSet, newValue) {
            case (true, 0): entries.remove(at: index)
            case (true, _): entries[index].value = newValue
            case (false, 0): break
            case (false, _): entries.insert(Entry(name: name, value: newValue), at: index)
            }
        }
    }

    /// The names of the states that are not 0, in alphabetical order.
    package var names: [String] { entries.map { $0.name } }
}

extension PacketStates: ExpressibleByDictionaryLiteral {
    /// Makes states from names and numbers: `["started": 1]`.
    public init(dictionaryLiteral elements: (String, Int128)...) {
        for (name, value) in elements { self[name] = value }
    }
}
