// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineErlang

// What processes say to clients. A step is checked as a whole, and then done as a whole.
extension GatewayCore {
    /// A process of ours has been sent a message: a client, or the process `wireline`.
    ///
    /// - Parameters:
    ///   - bytes: The term, without a version byte.
    ///   - pid: The process. A message to one that has ended is ignored.
    ///   - sender: Who has sent it; nil if its node does not say it.
    package mutating func receive(_ bytes: RawSpan, for pid: ErlangPID, from sender: ErlangPID?, at now: Duration) {
        // It is only copied if it has to wait.
        guard !isDelivering else {
            return receive(.term([UInt8](copying: bytes), for: pid, from: sender), at: now)
        }
        take(bytes, for: pid, from: sender, at: now)
    }

    mutating func take(_ bytes: RawSpan, for pid: ErlangPID, from sender: ErlangPID?, at now: Duration) {
        do throws(TermRefusal) {
            if pid == service {
                return take(try ServiceRequestReader(bytes, settings.requests, encode).request(), at: now)
            }
            // What is for nobody need not be read.
            guard let client = clients.client(of: pid) else { return }
            try perform(
                try ClientRequestReader(bytes, settings.requests, encode).request(), of: client, from: sender, at: now)
        } catch {
            refuse(error, pid, sender)
        }
    }

    /// A client has been sent something that was read already.
    package mutating func receive(
        _ request: ClientRequest, for pid: ErlangPID, from sender: ErlangPID?, at now: Duration
    ) {
        receive(.request(request, for: pid, from: sender), at: now)
    }

    mutating func take(_ request: ClientRequest, for pid: ErlangPID, from sender: ErlangPID?, at now: Duration) {
        guard let client = clients.client(of: pid) else { return }
        do throws(TermRefusal) {
            try perform(request, of: client, from: sender, at: now)
        } catch {
            refuse(error, pid, sender)
        }
    }

    /// A term for a process of ours was over the limit, and was skipped.
    package mutating func skippedTerm() { counters.refusedTermCount += 1 }

    /// Tells the sender of a term why nothing of it is done.
    private mutating func refuse(_ refusal: TermRefusal, _ pid: ErlangPID, _ sender: ErlangPID?) {
        counters.refusedTermCount += 1
        // A client would take the error for a message, and refuse it.
        guard let sender, !isOurs(sender) else { return }
        want(.tell(.pid(sender), .error(pid, refusal.term), from: pid))
    }

    /// Whether a process is a client, or the process `wireline`.
    private func isOurs(_ pid: ErlangPID) -> Bool { pid == service || clients.client(of: pid) != nil }

    /// Does what a client was told, in the name of the sender.
    private mutating func perform(
        _ request: ClientRequest, of client: GatewayClient, from sender: ErlangPID?, at now: Duration
    ) throws(TermRefusal) {
        switch request {
        case .message(let packet): write(packet, to: client)
        case .call(let call):
            let answer: ErlangTerm = call.request == "info" ? .map(client.snapshot.term) : .unknownRequest
            want(.reply(call, answer, from: client.pid))
        case .step(let actions):
            noticeLosses(of: client, at: now)
            guard actions.contains(where: \.isForOwner) else {
                for action in actions { perform(action, of: client, from: nil, at: now) }
                return
            }
            // Who was asked answers by naming an owner, even if it may not any more.
            let asked = actions.contains(where: \.namesOwner) ? askedProcess(of: client, from: sender) : nil
            let refusal = refusal(of: actions, for: client, isAsked: asked != nil, from: sender)
            if refusal == nil { for action in actions { perform(action, of: client, from: asked, at: now) } }
            if let asked { answered(client, asked, at: now) }
            if let refusal { throw refusal }
            // Nothing else lets the owner have more.
            handOver(client)
        }
    }

    // MARK: Checking

    /// The offer that a step of a process answers; nil if there is none. The owner's steps answer none.
    private func askedProcess(of client: GatewayClient, from sender: ErlangPID?) -> ErlangDestination? {
        guard let sender, sender != client.owner else { return nil }
        return client.offer(answeredBy: sender, on: service.node)
    }

    /// Returns why not all actions of a step may be done, one after another; nil if they may.
    private func refusal(
        of actions: [ClientAction], for client: GatewayClient, isAsked: Bool, from sender: ErlangPID?
    ) -> TermRefusal? {
        var owner = client.owner
        var mayAccept = isAsked && client.isWaiting
        var confirmed = client.window.confirmed
        var handedOver = client.window.handedOver
        for action in actions {
            switch action {
            case .owner(let named?) where mayAccept || owner != nil && owner == sender:
                guard !isOurs(named) else { return .unknownAction(.tuple("owner", .pid(named))) }
                if owner != named { handedOver = confirmed }
                (owner, mayAccept) = (named, false)
            case .send, .join, .leave, .kick: break
            case _ where owner == nil || owner != sender: return .notOwner
            case .confirm(let number):
                guard confirmed < number, number <= handedOver
                else { return .outOfRange(number, lowest: confirmed + 1, highest: handedOver) }
                confirmed = number
            case .owner: owner = nil
            case .change(let change): if let refusal = checkChange(change) { return refusal }
            case .state: break
            }
        }
        return nil
    }

    // MARK: Doing

    /// - Parameter asked: Who was asked and answers with this step.
    private mutating func perform(
        _ action: ClientAction, of client: GatewayClient, from asked: ErlangDestination?, at now: Duration
    ) {
        // Only `kick` ends a client, and what follows it has no receiver.
        guard !client.isClosing else { return }
        switch action {
        case .send(let packet): write(packet, to: client)
        case .confirm(let last): clients.update(client) { $0.window.confirm(last) }
        case .owner(let owner?): setOwner(owner, of: client, by: asked, at: now)
        case .owner(nil): seekOwner(client, from: client.backend, at: now)
        case .change(let change): want(.change(client.number, change))
        case .state(let state, let byteCount): clients.update(client) { $0.keep(state, byteCount: byteCount) }
        case .join(let group, let byteCount):
            guard groups.join(group, client.number) else { return }
            clients.update(client) { $0.join(group, byteCount: byteCount) }
        case .leave(let group):
            guard groups.leave(group, client.number) else { return }
            clients.update(client) { $0.leave(group) }
        case .kick(let reason): end(client, .kicked(reason), .flushed, at: now)
        }
    }
}

extension ErlangTerm {
    static let unknownRequest: ErlangTerm = .tuple("error", "unknown_request")
}
