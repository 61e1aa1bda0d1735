// SPDX-License-Identifier: Apache-2.0

/// An event of one of our processes.
public enum ErlangEvent: Hashable, Sendable {
    /// A message: `Pid ! Term`. The sender is nil if its node does not send it.
    case message(ErlangTerm, from: ErlangPID?)
    /// A `gen_server:call`, whose caller waits for a reply.
    case call(ErlangCall)
    /// A `gen_server:cast`.
    case cast(ErlangTerm)
    /// The monitored target has ended, does not exist (`noproc`), or its node is gone (`noconnection`).
    case down(ErlangMonitor, reason: ErlangTerm)
    /// A linked process has ended, or `exit(Pid, Reason)` was called. Only a process that traps exits gets it.
    case exit(ErlangPID, reason: ErlangTerm)
    /// A node is connected. Only a process that watches nodes gets it.
    case nodeUp(ErlangNodeName)
    /// The connection to a node has ended. Only a process that watches nodes gets it.
    case nodeDown(ErlangNodeName)
}

/// A call of `gen_server`'s protocol. Its caller waits for the reply, for its timeout, or until the called process
/// ends.
public struct ErlangCall: Hashable, Sendable {
    /// The caller's request.
    public let request: ErlangTerm
    /// The process that calls.
    public let caller: ErlangPID
    /// The reply must carry this tag, so that the caller recognizes it.
    let tag: ErlangTerm

    /// Reads `{Caller, Tag}` from a `'$gen_call'`.
    package init?(request: ErlangTerm, from: ErlangTerm) {
        guard case .tuple(let parts) = from, parts.count == 2, case .pid(let caller) = parts[0] else { return nil }
        self.request = request
        self.caller = caller
        tag = parts[1]
    }

    /// The reply goes to this alias, so that a caller that has given up never sees it. Nil for callers before OTP 24.
    var alias: ErlangReference? {
        guard case .improperList(let list) = tag, list.elements == ["alias"], case .reference(let alias) = list.tail
        else { return nil }
        return alias
    }
}

/// A monitor of one of our processes.
public struct ErlangMonitor: Hashable, Sendable {
    /// The monitored process or name.
    public let target: ErlangDestination
    /// The reference by which nodes know the monitor.
    public let reference: ErlangReference
}

extension ErlangEvent {
    /// Recognizes calls and casts.
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
