// SPDX-License-Identifier: Apache-2.0

/// What a process of ours is told.
public enum ErlangEvent: Hashable, Sendable {
    /// A message: `Pid ! Term`. The sender is nil if its node does not say it.
    case message(ErlangTerm, from: ErlangPID?)
    /// A `gen_server:call`, whose caller waits for a reply.
    case call(ErlangCall)
    /// A `gen_server:cast`.
    case cast(ErlangTerm)
    /// What was monitored has ended, or is not there (`noproc`), or its node is gone (`noconnection`).
    case down(ErlangMonitor, reason: ErlangTerm)
    /// A linked process has ended, or `exit(Pid, Reason)` was called. Only a process that traps exits is told.
    case exit(ErlangPID, reason: ErlangTerm)
    /// A node is connected. Only a process that watches nodes is told.
    case nodeUp(ErlangNodeName)
    /// The connection to a node has ended. Only a process that watches nodes is told.
    case nodeDown(ErlangNodeName)
}

/// A call of `gen_server`'s protocol. Its caller waits until it is answered, its time is over, or the called process
/// ends.
public struct ErlangCall: Hashable, Sendable {
    /// What is asked.
    public let request: ErlangTerm
    /// Who asks.
    public let caller: ErlangPID
    /// What the reply must carry, so that the caller knows it.
    let tag: ErlangTerm

    /// Reads `{Caller, Tag}`, as `'$gen_call'` has it.
    package init?(request: ErlangTerm, from: ErlangTerm) {
        guard case .tuple(let parts) = from, parts.count == 2, case .pid(let caller) = parts[0] else { return nil }
        self.request = request
        self.caller = caller
        tag = parts[1]
    }

    /// The alias to which the reply goes: a caller that has given up never sees it. nil for callers before OTP 24.
    var alias: ErlangReference? {
        guard case .improperList(let list) = tag, list.elements == ["alias"], case .reference(let alias) = list.tail
        else { return nil }
        return alias
    }
}

/// A monitor that a process of ours has set.
public struct ErlangMonitor: Hashable, Sendable {
    /// What is monitored.
    public let target: ErlangDestination
    /// The reference by which nodes know the monitor.
    public let reference: ErlangReference
}

extension ErlangEvent {
    /// Reads a message, which may be a call or a cast.
    package init(_ term: ErlangTerm, from sender: ErlangPID?) {
        if case .tuple(let parts) = term, case .atom(let word)? = parts.first {
            if parts.count == 3, word == "$gen_call", let call = ErlangCall(request: parts[2], from: parts[1]) {
                self = .call(call)
                return
            }
            if parts.count == 2, word == "$gen_cast" {
                self = .cast(parts[1])
                return
            }
        }
        self = .message(term, from: sender)
    }
}
