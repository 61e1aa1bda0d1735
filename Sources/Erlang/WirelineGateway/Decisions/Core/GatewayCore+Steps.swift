// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineErlang

// Messages of processes to clients. A step is checked as a whole, and then carried out as a whole.
extension GatewayCore {
    /// Takes a message to one of our processes: to a client, or to the process `wireline`.
    ///
    /// - Parameters:
    ///   - bytes: The term, without a version byte.
    ///   - pid: The receiver. A message to an ended process is ignored.
    ///   - sender: The sender; nil if its node does not send it.
    package mutating func receive(_ bytes: RawSpan, for pid: ErlangPID, from sender: ErlangPID?, at now: Duration) {
        // A copy is only needed if the message has to wait.
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
            // A message without a receiver need not be read.
            guard let client = clients.client(of: pid) else { return }
            try perform(
                try ClientRequestReader(bytes, settings.requests, encode).request(), of: client, from: sender, at: now)
        } catch {
            refuse(error, pid, sender)
        }
    }

    /// Takes a message to a client that was read before.
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

    /// A term for a process of ours was above the limit, and was skipped.
    package mutating func skippedTerm() { counters.refusedTermCount += 1 }

    /// Tells the sender why its term had no effect.
    private mutating func refuse(_ refusal: TermRefusal, _ pid: ErlangPID, _ sender: ErlangPID?) {
        counters.refusedTermCount += 1
        // A client would take the error for a message, and refuse it.
        guard let sender, !isOurs(sender) else { return }
        append(.tell(.pid(sender), .error(pid, refusal.term), from: pid))
    }

    /// Whether the process is a client, or the process `wireline`.
    private func isOurs(_ pid: ErlangPID) -> Bool { pid == service || clients.client(of: pid) != nil }

    /// Carries out a message to a client in the name of its sender.
    private mutating func perform(
        _ request: ClientRequest, of client: GatewayClient, from sender: ErlangPID?, at now: Duration
    ) throws(TermRefusal) {
        switch request {
        case .message(let packet): write(packet, to: client)
        case .call(let call):
            let answer: ErlangTerm = call.request == "info" ? .map(client.snapshot.term) : .unknownRequest
            append(.reply(call, answer, from: client.pid))
        case .step(let actions):
            noticeLosses(of: client, at: now)
            guard actions.contains(where: \.isForOwner) else {
                for action in actions { perform(action, of: client, from: nil, at: now) }
                return
            }
            // A process answers its offer by naming an owner, even if it may not name one any more.
            let asked = actions.contains(where: \.namesOwner) ? askedProcess(of: client, from: sender) : nil
            let refusal = refusal(of: actions, for: client, isAsked: asked != nil, from: sender)
            if refusal == nil { for action in actions { perform(action, of: client, from: asked, at: now) } }
            if let asked { answered(client, asked, at: now) }
            if let refusal { throw refusal }
            // Only these actions can let the owner have more messages.
            handOver(client)
        }
    }

    // MARK: Checking

    /// The offer that a step of the sender answers; nil: none. The owner's steps answer none.
    private func askedProcess(of client: GatewayClient, from sender: ErlangPID?) -> ErlangDestination? {
        guard let sender, sender != client.owner else { return nil }
        return client.offer(answeredBy: sender, on: service.node)
    }

    /// Checks the actions of a step one after another, and returns why one is not allowed; nil: all are.
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

    /// - Parameter asked: The process that answers its offer with this step.
    private mutating func perform(
        _ action: ClientAction, of client: GatewayClient, from asked: ErlangDestination?, at now: Duration
    ) {
        // Only `kick` ends a client. Later actions of the step have no receiver then.
        guard !client.isClosing else { return }
        switch action {
        case .send(let packet): write(packet, to: client)
        case .confirm(let last): clients.update(client) { $0.window.confirm(last) }
        case .owner(let owner?): setOwner(owner, of: client, by: asked, at: now)
        case .owner(nil): seekOwner(client, from: client.backend, at: now)
        case .change(let change): append(.change(client.number, change))
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
