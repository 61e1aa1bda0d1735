// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// A message and what happens to it.
struct HandlerEntry<Definition: PacketProtocol, State>: Sendable {
    let type: any PacketMessage.Type
    let action: HandlerAction<Definition, State>
    /// The steps of the part of the program to which the handler belongs.
    var steps: [HandlerStep<Definition, State>] = []
}

/// A handler of packets whose type is known.
@usableFromInline
enum HandlerAction<Definition: PacketProtocol, State>: Sendable {
    /// Decodes and handles the packet without `await`.
    case atOnce(@Sendable (borrowing Packet, ClientContext<Definition, State>) throws -> Void)
    /// Decodes and handles the packet in the connection's task.
    case inTask(@Sendable (ReceivedPacket, ClientContext<Definition, State>) async throws -> Void)
    case ignore
}

/// A step before handlers.
struct HandlerStep<Definition: PacketProtocol, State>: Sendable {
    /// The types before which it runs; nil: all.
    let only: Set<ObjectIdentifier>?
    let except: Set<ObjectIdentifier>
    let run: MessageHandlers<Definition, State>.Step

    func applies(to type: any PacketMessage.Type) -> Bool {
        let type = ObjectIdentifier(type)
        return only?.contains(type) != false && !except.contains(type)
    }
}
