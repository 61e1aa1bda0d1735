// SPDX-License-Identifier: Apache-2.0

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
        do throws(TermRefusal) {
            if pid == service {
                return perform(try ServiceRequestReader(bytes, settings, encode).request(), at: now)
            }
            // What is for nobody need not be read.
            guard clients.number(of: pid) != nil else { return }
            receive(try ClientRequestReader(bytes, settings, encode).request(), for: pid, from: sender, at: now)
        } catch {
            refuse(error, pid, sender)
        }
    }

    /// A client has been sent something that was read already.
    package mutating func receive(
        _ request: ClientRequest, for pid: ErlangPID, from sender: ErlangPID?, at now: Duration
    ) {
        guard let number = clients.number(of: pid) else { return }
        do throws(TermRefusal) {
            try perform(request, of: number, from: sender, at: now)
        } catch {
            refuse(error, pid, sender)
        }
    }

    /// Tells the sender of a term why nothing of it is done.
    private mutating func refuse(_ refusal: TermRefusal, _ pid: ErlangPID, _ sender: ErlangPID?) {
        counters.refusedTermCount += 1
        // A client would take the error for a message, and refuse it.
        guard let sender, !isOurs(sender) else { return }
        want(.tell(.pid(sender), .error(pid, refusal.term), from: pid))
    }

    /// Whether a process is a client, or the process `wireline`.
    private func isOurs(_ pid: ErlangPID) -> Bool { pid == service || clients.number(of: pid) != nil }

    /// Does what a client was told, in the name of the sender.
    private mutating func perform(
        _ request: ClientRequest, of number: ClientNumber, from sender: ErlangPID?, at now: Duration
    ) throws(TermRefusal) {
        switch request {
        case .call(let call):
            guard let client = clients[number] else { return }
            let answer: ErlangTerm = call.request == "info" ? .map(client.snapshot.term) : .unknownRequest
            want(.reply(call, answer, from: client.pid))
        case .step(let actions):
            if actions.contains(where: \.isForOwner) { try check(actions, of: number, from: sender) }
            for action in actions { perform(action, of: number, at: now) }
            handOver(number)
        }
    }

    // MARK: Checking

    /// Looks whether all actions of a step may be done, one after another.
    private func check(
        _ actions: [ClientAction], of number: ClientNumber, from sender: ErlangPID?
    ) throws(TermRefusal) {
        guard let client = clients[number] else { return }
        var life = client.life
        var confirmed = client.window.confirmed
        var handedOver = client.window.handedOver
        for action in actions {
            switch action {
            case .confirm(let number):
                guard isOwner(sender, of: life) else { throw .notOwner }
                guard confirmed < number, number <= handedOver
                else { throw .outOfRange(number, lowest: confirmed + 1, highest: handedOver) }
                confirmed = number
            case .owner(let owner?):
                guard mayNameOwner(sender, of: life) else { throw .notOwner }
                guard !isOurs(owner) else { throw .unknownAction(.tuple("owner", .pid(owner))) }
                if life != .owned(owner) { handedOver = confirmed }
                life = .owned(owner)
            case .owner(nil):
                guard isOwner(sender, of: life) else { throw .notOwner }
                life = .parked(until: .zero)
            case .state: guard isOwner(sender, of: life) else { throw .notOwner }
            case .send, .join, .leave, .kick: break
            }
        }
    }

    private func isOwner(_ sender: ErlangPID?, of life: GatewayClient.Life) -> Bool {
        if case .owned(let owner) = life { owner == sender } else { false }
    }

    // MARK: Doing

    private mutating func perform(_ action: ClientAction, of number: ClientNumber, at now: Duration) {
        // Only `kick` ends a client, and what follows it has no receiver.
        guard let client = clients[number], !client.isClosing else { return }
        switch action {
        case .send(let packet): write(packet, to: number)
        case .confirm(let last): _ = clients.update(number) { $0.window.confirm(last) }
        case .owner(let owner?): setOwner(owner, of: number, at: now)
        case .owner(nil): offer(number, except: client.backend, at: now)
        case .state(let state, let byteCount): _ = clients.update(number) { $0.keep(state, byteCount: byteCount) }
        case .join(let group, let byteCount):
            guard groups.join(group, number) else { return }
            _ = clients.update(number) { $0.join(group, byteCount: byteCount) }
        case .leave(let group):
            guard groups.leave(group, number) else { return }
            _ = clients.update(number) { $0.leave(group) }
        case .kick(let reason): end(number, .kicked(reason), .flushed, at: now)
        }
    }
}

extension ErlangTerm {
    static let unknownRequest: ErlangTerm = .tuple("error", "unknown_request")
}
