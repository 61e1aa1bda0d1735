// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// Checks sessions and servers whose peers and networks really fail: processes are killed and stopped, routes lead
/// nowhere, lines are slow, descriptors are used up, the main actor is blocked. Crowds of clients reset their
/// connections, read nothing, use up the memory limit, or keep a loop busy.
///
///     swift run -c release faults           all of it
///     swift run -c release faults crowds    crowds of clients only
///     swift run -c release faults room      a large room with members that read nothing only
///
/// It names the tools that it needs. In CI (`WIRELINE_REQUIRE_PEERS=1`) it fails without them, unless the kernel does
/// not allow network namespaces.
@main
struct Faults {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case (nil, _): try await lookAtAll()
        case ("crowds", 1):
            DescriptorLimit.raise()
            let findings = Findings()
            try await lookAtQuietCrowds(findings)
            try await lookAtBusyCrowds(findings)
            findings.finish()
        case ("room", 1):
            DescriptorLimit.raise()
            let findings = Findings()
            try await Look.look(findings, RoomCrowd.look)
            findings.finish()
        case ("--remember", 1): try await Children.remember()
        case ("--relay", 3): try await Children.relay(to: arguments[1], arguments[2])
        case ("--room", 1): try await RoomCrowd.serve()
        case ("--read-slowly", 1): try Children.readSlowly()
        case ("--crowd", 4):
            try await CrowdServer.run(
                heldByteLimit: arguments[1], threadCount: arguments[2], identity: arguments[3])
        case ("--in-namespace", 1):
            let findings = Findings()
            try await Namespace.lookInside(findings)
            findings.finish()
        default: fail("usage: faults [crowds | room]", code: 2)
        }
    }

    private static func lookAtQuietCrowds(_ findings: Findings) async throws {
        try await Look.look(findings, DeafPeers.look)
        try await BudgetHolders.look(findings)
    }

    private static func lookAtBusyCrowds(_ findings: Findings) async throws {
        try await ResetPeers.look(findings)
        try await HeldBlocks.look(findings)
        try await IdleMemory.look(findings)
        try await Look.look(findings, BusyLoop.look)
        try await Look.look(findings, RoomCrowd.look)
    }

    private static func lookAtAll() async throws {
        DescriptorLimit.raise()
        let findings = Findings()
        try await Leaks.look(findings)
        // At the same time, because they mostly wait.
        try await withThrowingTaskGroup { group in
            group.addTask { try await Look.look(findings, BlockedMainActor.look) }
            group.addTask { try await KilledPeer.look(findings) }
            group.addTask {
                try await StoppedPeer.look(findings)
                try await StoppedPeer.lookAtKill(findings)
            }
            group.addTask {
                try await Look.look(findings, SlowPeer.lookAtReader)
                try await Look.look(findings, SlowPeer.lookAtWriter)
            }
            group.addTask { try await Namespace.look(findings) }
            group.addTask { try await lookAtQuietCrowds(findings) }
            try await group.waitForAll()
        }
        // No other check may need a processor meanwhile.
        try await lookAtBusyCrowds(findings)
        // No other check may need a descriptor meanwhile.
        try await FewDescriptors.look(findings)
        findings.finish()
    }
}
