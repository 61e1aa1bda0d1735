// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

// Messages to the process `wireline`.
extension GatewayCore {
    /// Takes a message to the process `wireline` that was read before.
    package mutating func receive(_ request: ServiceRequest, at now: Duration) {
        receive(.serviceRequest(request), at: now)
    }

    mutating func take(_ request: ServiceRequest, at now: Duration) {
        switch request {
        case .publish(let group, let packet, let except, let isDropped):
            deliver(
                PacketDelivery(
                    packet, to: .members(groups.members(of: group)), except: except,
                    queueLimit: isDropped ? settings.clientByteCount / 2 : .max))
        case .send(let pids, let packet): deliver(PacketDelivery(packet, to: .processes(pids)))
        case .call(let call): append(.reply(call, answer(call.request, at: now), from: service))
        }
    }

    // MARK: Calls

    private mutating func answer(_ request: ErlangTerm, at now: Duration) -> ErlangTerm {
        if request == "info" { return .map(serviceInfo) }
        guard case .tuple(let parts) = request, parts.count == 2 else { return .unknownRequest }
        switch (parts[0], parts[1]) {
        case ("members", let group):
            return .list(groups.members(of: group).compactMap { clients[$0].map { .pid($0.pid) } })
        case ("drain", .integer(let milliseconds)) where milliseconds >= 0:
            drain(for: .milliseconds(milliseconds), at: now)
            return "ok"
        default: return .unknownRequest
        }
    }

    private var serviceInfo: ErlangMap {
        [
            "clients": ErlangTerm(clients.count), "parked": ErlangTerm(clients.parkedCount),
            "backends": ErlangTerm(backends.count), "groups": ErlangTerm(groups.count),
            "draining": .init(booleanLiteral: drainProgress.isDraining), "protocol": .text(settings.protocolName),
            "version": .text(settings.version),
        ]
    }
}
