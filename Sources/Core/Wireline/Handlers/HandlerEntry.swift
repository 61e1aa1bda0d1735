// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// A message and its handler.
///
/// The types of this file, and those that run handlers, know neither the protocol nor the state. To them the context of
/// a client is any object. So this module compiles them once, and the user's module compiles only the closures that
/// know the types. Unspecialised generic code would take several times as long for each message.
struct HandlerEntry: Sendable {
    let type: any PacketMessage.Type
    let action: HandlerAction
    /// The steps of the part of the program to which the handler belongs.
    var steps: [HandlerStep] = []
}

/// A handler of packets whose type is known. It gets the client's ``ClientContext``.
@usableFromInline
enum HandlerAction: Sendable {
    @usableFromInline typealias AtOnce = @Sendable (borrowing Packet, AnyObject) throws -> Void
    @usableFromInline typealias InTask = @Sendable (ReceivedPacket, AnyObject) async throws -> Void

    /// Decodes and handles the packet without `await`.
    case atOnce(AtOnce)
    /// Decodes and handles the packet in the connection's task.
    case inTask(InTask)
    case ignore
}

struct HandlerStep: Sendable {
    /// The types before which the step runs; nil: all.
    let only: Set<ObjectIdentifier>?
    let except: Set<ObjectIdentifier>
    let run: @Sendable (any PacketMessage.Type, AnyObject) throws -> Bool

    func applies(to type: any PacketMessage.Type) -> Bool {
        let type = ObjectIdentifier(type)
        return only?.contains(type) != false && !except.contains(type)
    }
}

/// All that a server does with messages, without the types of its protocol and state.
struct HandlerList: Sendable {
    var entries: [HandlerEntry] = []
    var other: HandlerAction?
    var steps: [HandlerStep] = []
    var opened: [@Sendable (AnyObject) throws -> Void] = []
    var closed: [@Sendable (AnyObject, (any Error)?) -> Void] = []
    var failed: (@Sendable (any Error, AnyObject) throws -> Void)?
}
