// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The handlers of a server, found by the ID of a message.
final class HandlerTable: Sendable {
    /// The handler of one message.
    final class Handler: Sendable {
        let type: any PacketMessage.Type
        let action: HandlerAction
        /// The steps that apply to this message.
        let steps: [HandlerStep]

        init(type: any PacketMessage.Type, action: HandlerAction, steps: [HandlerStep]) {
            self.type = type
            self.action = action
            self.steps = steps
        }
    }

    let handlers: HandlerList
    /// A table with a power of two of places, at most half of them taken, and linear probing.
    private let places: [(id: UInt64, handler: Handler?)]
    private let shift: UInt64
    /// Whether a handler awaits, so that connections need a task.
    let needsTask: Bool

    /// - Parameters:
    ///   - handlers: The handlers.
    ///   - types: All messages that clients may send.
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
        needsTask = ([handlers.other].compactMap { $0 } + found.values.map(\.action)).contains { action in
            if case .inTask = action { true } else { false }
        }
        (places, shift) = Self.table(of: found)
    }

    private static func table(
        of handlers: [UInt64: Handler]
    ) -> (places: [(id: UInt64, handler: Handler?)], shift: UInt64) {
        var bits: UInt64 = 1
        while 1 << bits < 2 * handlers.count { bits += 1 }
        let shift = 64 - bits
        var places = [(id: UInt64, handler: Handler?)](repeating: (0, nil), count: 1 << bits)
        for (id, handler) in handlers {
            var place = Self.place(of: id, shift)
            while places[place].handler != nil { place = (place + 1) & (places.count - 1) }
            places[place] = (id, handler)
        }
        return (places, shift)
    }

    /// The first place of an ID: the upper bits of a product (Knuth, The Art of Computer Programming 6.4).
    @inline(__always)
    private static func place(of id: UInt64, _ shift: UInt64) -> Int {
        Int(truncatingIfNeeded: (id &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }

    /// The handler of messages with this ID; nil if there is none.
    @inline(__always)
    func handler(of id: UInt64) -> Handler? {
        var place = Self.place(of: id, shift)
        while let handler = places[place].handler {
            if places[place].id == id { return handler }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }
}
