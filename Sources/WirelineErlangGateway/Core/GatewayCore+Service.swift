// SPDX-License-Identifier: Apache-2.0

import WirelineErlang

// What processes say to the process `wireline`.
extension GatewayCore {
    /// Does what the process `wireline` was told.
    package mutating func perform(_ request: ServiceRequest, at now: Duration) {
        switch request {
        case .publish(let group, let packet, let except, let isDropped):
            publish(packet, to: groups.members(of: group), except: except, isDropped: isDropped)
        case .send(let pids, let packet):
            writeAll(packet, to: pids.compactMap { clients.client(of: $0)?.number })
        case .call(let call): want(.reply(call, answer(call.request, at: now), from: service))
        }
    }

    private mutating func publish(
        _ packet: ClientPacket, to members: [ClientNumber], except: [ErlangPID], isDropped: Bool
    ) {
        guard !except.isEmpty || isDropped else { return writeAll(packet, to: members) }
        let excluded = Set(except.compactMap { clients.client(of: $0)?.number })
        let limit = isDropped ? settings.clientByteCount / 2 : Int.max
        writeAll(
            packet,
            to: members.filter { number in
                !excluded.contains(number) && (clients[number]?.queuedByteCount ?? 0) <= limit
            })
    }

    private mutating func writeAll(_ packet: ClientPacket, to numbers: [ClientNumber]) {
        var receivers: [ClientNumber] = []
        receivers.reserveCapacity(numbers.count)
        for number in numbers {
            if let client = clients[number], queue(packet, to: client) { receivers.append(number) }
        }
        if !receivers.isEmpty { want(.writeAll(receivers, packet)) }
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
            "draining": .init(booleanLiteral: life.isDraining), "protocol": .text(settings.protocolName),
            "version": .text(settings.version),
        ]
    }
}
