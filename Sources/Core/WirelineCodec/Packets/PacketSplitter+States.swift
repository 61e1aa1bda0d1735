// SPDX-License-Identifier: Apache-2.0

/// The layout and the context of a splitter whose packets depend on states.
struct StateFollower: Sendable {
    /// The layout that depends on the states.
    let layout: PacketLayout
    var context: PacketContext
}

/// Streams whose packets depend on states of the connection.
///
/// A message that sets a state (`@sets`) sets it for all later packets, in both directions. A splitter reads one
/// direction, so the program reports to it which states the messages of the other direction set.
extension PacketSplitter {
    /// Makes a splitter of a stream whose packets depend on their context.
    ///
    /// A layout that depends on no context can be given as well.
    ///
    /// - Parameters:
    ///   - layout: The fields around each payload, with conditions about the context.
    ///   - context: Who sends the packets, and the states of the connection.
    ///   - maximumPacketByteCount: The largest packet that is accepted, in bytes (default 1 MiB).
    public init(layout: PacketLayout, context: PacketContext, maximumPacketByteCount: Int = 1 << 20) {
        self.init(layout: layout.layout(in: context), maximumPacketByteCount: maximumPacketByteCount)
        guard layout.hasStates else { return }
        if details.isEmpty { details = [Details()] }
        details[0].follower = StateFollower(layout: layout, context: context)
    }

    /// The states of the connection, for the next packet; all are 0 in a layout without states.
    public var states: PacketStates { follower?.context.states ?? PacketStates() }

    /// Sets a state, for all packets that were not delivered.
    ///
    /// - Throws: ``CodecError/Reason/unknownState(_:)``, or ``CodecError/Reason/outOfRange(value:minimum:maximum:)``.
    public mutating func setState(_ name: String, to value: Int128) throws(CodecError) {
        guard let layout = follower?.layout else { throw CodecError(.unknownState(name)) }
        var states = states
        try layout.setState(name, to: value, in: &states)
        setStates(states)
    }

    /// Sets all states, for all packets that were not delivered.
    package mutating func setStates(_ states: PacketStates) {
        guard var follower else { return }
        follower.context.states = states
        details[0].follower = follower
        let layout = follower.layout.layout(in: follower.context)
        // With layers, two layouts can have the same fields in a stream and differ inside the layers.
        if layout != self.layout || layout.plan.variant != self.layout.plan.variant { use(layout) }
    }

    @inlinable package var followsStates: Bool { hasFollower }

    @usableFromInline var hasFollower: Bool { follower != nil }

    private var follower: StateFollower? { details.first?.follower }

    /// Whether the splitter must wait for the opened packet to learn which state its message sets.
    var followsOpenedPackets: Bool { follower?.layout.hasContent ?? false }

    /// Sets the state that the message of a delivered packet sets, if any.
    ///
    /// - Parameter id: The packet's message ID.
    /// - Returns: Whether it sets a state.
    @discardableResult
    package mutating func follow(_ id: UInt64) -> Bool {
        guard let follower else { return false }
        var states = follower.context.states
        guard follower.layout.apply(id, from: follower.context.sender, to: &states) else { return false }
        setStates(states)
        return true
    }

    /// Passes packets to `receiver` up to one that sets a state.
    @usableFromInline
    mutating func receiveFollowingStates(
        _ bytes: RawSpan, _ receiver: (borrowing Packet) throws(CodecError) -> Void
    ) throws(CodecError) {
        guard let follower else { return }
        let (layout, sender) = (follower.layout, follower.context.sender)
        endedAtStateChange = false
        var changingID: UInt64?
        var hasReceived = false
        do throws(CodecError) {
            try receiveInLayout(bytes) { packet throws(CodecError) in
                let sets = layout.setsState(packet.id, from: sender)
                if sets { changingID = packet.id }
                try receiver(packet)
                guard sets else { return }
                hasReceived = true
                // Ends the call as a receiver's error does: the splitter keeps the bytes that follow.
                throw CodecError(.invalidLayout(.needsContext))
            }
        } catch {
            // The packet was delivered, even if the receiver has thrown.
            if let changingID { follow(changingID) }
            guard hasReceived else { throw error }
            endedAtStateChange = true
        }
    }
}

extension PacketLayout {
    /// Sets a state.
    ///
    /// - Throws: ``CodecError/Reason/unknownState(_:)``, or ``CodecError/Reason/outOfRange(value:minimum:maximum:)``.
    public func setState(
        _ name: String, to value: Int128, in states: inout PacketStates
    ) throws(CodecError) {
        guard let state = self.states.first(where: { $0.name == name }) else { throw CodecError(.unknownState(name)) }
        try state.check(value)
        states[name] = value
    }

    /// Refuses states that a connection with this layout cannot have.
    ///
    /// - Throws: As ``setState(_:to:in:)``.
    package func check(_ states: PacketStates) throws(CodecError) {
        var checked = PacketStates()
        for name in states.names { try setState(name, to: states[name], in: &checked) }
    }

    package func setsState(_ id: UInt64, from sender: Sender) -> Bool {
        storage.contexts?.change(by: id, from: sender) != nil
    }

    /// Sets the state that the message with this ID sets.
    ///
    /// - Returns: Whether it sets any.
    @discardableResult
    package func apply(_ id: UInt64, from sender: Sender, to states: inout PacketStates) -> Bool {
        guard let change = storage.contexts?.change(by: id, from: sender) else { return false }
        states[change.state] = change.value
        return true
    }
}
