// SPDX-License-Identifier: Apache-2.0

/// A group of OTP's `pg`: processes of all connected nodes, under one name.
///
///     let group = node.processGroup("scene")
///     try group.join(scores)
///     for pid in try await group.members { try node.send("hello", to: .pid(pid)) }
///
/// Groups are found only on connected nodes that run `pg` with the same scope.
///
/// A node keeps the members of each group that was looked up once, as long as it runs, and of no other group. The first
/// look-up of a group asks each connected node for its groups. So look up groups that you need again, and not one for
/// each message.
public struct ErlangProcessGroup: Sendable {
    /// The group's name, which is any term.
    public let name: ErlangTerm
    /// The scope: the name under which `pg` runs on each node.
    public let scope: ErlangAtom
    let driver: NodeDriver

    /// The members, ours first. A process that has joined twice is there twice.
    ///
    /// This waits until all connected nodes have told their members.
    ///
    /// - Throws: ``ErlangNodeError/nameTaken(_:)`` if a process of ours has the scope's name; `cancelled`, `stopped`.
    public var members: [ErlangPID] {
        get async throws(ErlangNodeError) {
            try await driver.settle(name, scope)
            return driver.members(of: name, scope)
        }
    }

    /// The members now and after each change. A slow reader gets the newest list, and misses those in between.
    public var changes: AsyncStream<[ErlangPID]> {
        get throws(ErlangNodeError) {
            try driver.withCore { core, now throws(NodeFault) in try core.addWantedGroup(name, scope: scope, at: now) }
            let (stream, continuation) = AsyncStream.makeStream(
                of: [ErlangPID].self, bufferingPolicy: .bufferingNewest(1))
            driver.add(continuation, of: name, scope)
            return stream
        }
    }

    /// Makes a process a member, also if it is one already. It leaves when it ends.
    ///
    /// - Throws: ``ErlangNodeError/ended(reason:)``; ``ErlangNodeError/nameTaken(_:)`` if a process of ours has the
    ///   scope's name.
    public func join(_ mailbox: ErlangMailbox) throws(ErlangNodeError) {
        try driver.withCore { core, now throws(NodeFault) in try core.join(name, mailbox.pid, scope: scope, at: now) }
    }

    /// Undoes one join of a process.
    ///
    /// - Returns: Whether it was a member.
    @discardableResult
    public func leave(_ mailbox: ErlangMailbox) throws(ErlangNodeError) -> Bool {
        try driver.withCore { core, now in core.leave(name, mailbox.pid, scope: scope, at: now) }
    }
}
