// SPDX-License-Identifier: Apache-2.0

// Calls in gen_server's protocol, in both directions.
extension NodeCore {
    /// Calls a process: sets a monitor, and sends a message with an alias for the reply.
    ///
    /// - Returns: The reference of the later ``Action/reply(_:_:)``. ``endCall(_:at:)`` gives up the call.
    package mutating func call(
        _ destination: ErlangDestination, _ request: ErlangTerm, at now: Duration
    ) throws(NodeFault) -> ErlangReference {
        let reference = processes.makeReference()
        let tag = ErlangTerm.list(["alias"], tail: .reference(reference))
        let message = ErlangTerm.tuple("$gen_call", .tuple(.pid(caller), tag), request)
        try requireWritable(message)
        let (target, node) = place(of: destination)
        calls[reference] = destination
        guard let node else {
            guard let number = processes.number(of: target) else {
                down(reference, caller, "noproc", from: ourselves.name.atom, at: now)
                return reference
            }
            _ = processes.update(number) { $0.add(NodeProcess.Watcher(pid: caller, target: target), reference) }
            try send(message, to: destination, at: now)
            return reference
        }
        do throws(NodeFault) {
            try route(.monitor(from: caller, target, reference), to: node, at: now)
            try send(message, to: destination, at: now)
        } catch {
            endCall(reference, at: now)
            throw error
        }
        return reference
    }

    /// Gives up a call, or cleans up after its reply.
    package mutating func endCall(_ reference: ErlangReference, at now: Duration) {
        guard let destination = calls.removeValue(forKey: reference) else { return }
        withdraw(ErlangMonitor(target: destination, reference: reference), of: caller, at: now)
        settle(at: now)
    }

    /// - Parameter pid: The called process.
    package mutating func reply(
        _ term: ErlangTerm, to call: ErlangCall, from pid: ErlangPID, at now: Duration
    ) throws(NodeFault) {
        try requireWritable(term)
        answer(term, call, from: pid, at: now)
        settle(at: now)
    }

    /// Sends `{Tag, Reply}`, as every `gen_server` does.
    mutating func answer(_ reply: ErlangTerm, _ call: ErlangCall, from pid: ErlangPID, at now: Duration) {
        let term = ErlangTerm.tuple(call.tag, reply)
        if processes.isOurs(call.caller) {
            guard let number = processes.number(of: call.caller) else { return }
            return deliver(term, byteCount: 0, to: number, from: pid, node: nil, at: now)
        }
        if let alias = call.alias {
            sendControl(.sendAlias(term, from: pid, alias: alias), to: call.caller.node, at: now)
        } else {
            sendControl(.send(term, from: pid, to: call.caller), to: call.caller.node, at: now)
        }
    }

    /// Takes a message to the caller process: `{Tag, Reply}`. The tag is `[alias | Reference]` or the reference.
    mutating func takeReply(_ term: ErlangTerm, at now: Duration) {
        guard case .tuple(let parts) = term, parts.count == 2 else { return }
        let reference: ErlangReference
        switch parts[0] {
        case .reference(let tag): reference = tag
        case .improperList(let list):
            guard case .reference(let alias) = list.tail else { return }
            reference = alias
        default: return
        }
        guard calls[reference] != nil else { return }
        perform(.reply(reference, .success(parts[1])))
        endCall(reference, at: now)
    }
}
