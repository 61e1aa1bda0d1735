// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The handlers of a server, found by the ID of a message.
final class HandlerTable: Sendable {
    final class Handler: Sendable {
        let type: any PacketMessage.Type
        /// Handles a packet at once; does nothing if the message is ignored. It is not called if ``handleInTask`` is
        /// set.
        let handle: HandlerAction.AtOnce
        /// Handles a packet in the connection's task; nil: ``handle`` does it.
        let handleInTask: HandlerAction.InTask?
        let steps: [HandlerStep]
        let hasSteps: Bool

        init(type: any PacketMessage.Type, action: HandlerAction, steps: [HandlerStep]) {
            self.type = type
            self.steps = steps
            hasSteps = !steps.isEmpty
            switch action {
            case .atOnce(let handle): (self.handle, handleInTask) = (handle, nil)
            case .inTask(let handle): (self.handle, handleInTask) = ({ _, _ in }, handle)
            case .ignore: (handle, handleInTask) = ({ _, _ in }, nil)
            }
        }
    }

    let handlers: HandlerList
    /// Keeps the handlers of ``slots``.
    private let all: [Handler]
    /// A table with a power of two of slots, at most half of them taken, and linear probing.
    ///
    /// The references in it are not counted: for each packet, that would take as long as finding the handler.
    private let slots: [Slot]
    private let shift: UInt64
    /// Whether a handler awaits, so that connections need a task.
    let needsTask: Bool

    /// - Parameter types: All messages that clients may send.
    /// - Throws: ``HandlerError/handledTwice(_:)``, ``HandlerError/unhandled(_:)``.
    init(_ handlers: HandlerList, of types: [any PacketMessage.Type]) throws(HandlerError) {
        var found: [UInt64: Handler] = [:]
        var twice: [String] = []
        for entry in handlers.entries {
            let steps = (handlers.steps + entry.steps).filter { $0.applies(to: entry.type) }
            let handler = Handler(type: entry.type, action: entry.action, steps: steps)
            if found.updateValue(handler, forKey: entry.type.messageID) != nil { twice.append(entry.type.messageName) }
        }
        guard twice.isEmpty else { throw .handledTwice(twice) }
        let rest = types.filter { found[$0.messageID] == nil }
        guard rest.isEmpty || handlers.other != nil else { throw .unhandled(rest.map { $0.messageName }) }
        if let other = handlers.other {
            for type in rest {
                let steps = handlers.steps.filter { $0.applies(to: type) }
                found[type.messageID] = Handler(type: type, action: other, steps: steps)
            }
        }
        self.handlers = handlers
        let doOthersWait = if case .inTask? = handlers.other { true } else { false }
        needsTask = doOthersWait || found.values.contains { $0.handleInTask != nil }
        all = Array(found.values)
        (slots, shift) = Self.table(of: all)
    }

    @safe
    private struct Slot {
        var id: UInt64 = 0
        /// Nil in a free slot.
        var handler: Unmanaged<Handler>?
    }

    private static func table(of handlers: [Handler]) -> (slots: [Slot], shift: UInt64) {
        var bits: UInt64 = 1
        while 1 << bits < 2 * handlers.count { bits += 1 }
        let shift = 64 - bits
        var slots = [Slot](repeating: Slot(), count: 1 << bits)
        for handler in handlers {
            let id = handler.type.messageID
            var slot = Self.slot(of: id, shift)
            // SAFETY: this reads nothing of the handlers.
            while unsafe slots[slot].handler != nil { slot = (slot + 1) & (slots.count - 1) }
            // SAFETY: `all` keeps the handler for as long as the table lives.
            slots[slot] = unsafe Slot(id: id, handler: .passUnretained(handler))
        }
        return (slots, shift)
    }

    /// The first slot of an ID: the upper bits of a product (Knuth, The Art of Computer Programming 6.4).
    @inline(__always)
    private static func slot(of id: UInt64, _ shift: UInt64) -> Int {
        Int(truncatingIfNeeded: (id &* 0x9E37_79B9_7F4A_7C15) &>> shift)
    }

    /// The handler of messages with this ID, valid as long as the table lives; nil if there is none.
    @inline(__always) @unsafe
    func handler(of id: UInt64) -> Unmanaged<Handler>? {
        var slot = Self.slot(of: id, shift)
        // SAFETY: the reference is only returned.
        while let handler = unsafe slots[slot].handler {
            if slots[slot].id == id { return unsafe handler }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }
}
