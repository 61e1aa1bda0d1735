// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// Looks at sessions and servers whose peers and networks fail for real: processes are killed and stopped, routes lead
/// nowhere, lines are slow, descriptors are used up, the main actor is blocked.
///
///     swift run -c release faults
///
/// What it needs of the system it names; in CI (`WIRELINE_REQUIRE_PEERS=1`) it fails without it, unless the kernel does
/// not allow network namespaces.
@main
struct Faults {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case (nil, _): try await lookAtAll()
        case ("--remember", 1): try await Children.remember()
        case ("--relay", 3): try await Children.relay(to: arguments[1], arguments[2])
        case ("--read-slowly", 1): try Children.readSlowly()
        case ("--in-namespace", 1):
            let findings = Findings()
            try await Namespace.lookInside(findings)
            findings.finish()
        default: fail("usage: faults", code: 2)
        }
    }

    private static func lookAtAll() async throws {
        DescriptorLimit.raise()
        let findings = Findings()
        try await Leaks.look(findings)
        // Each in its own time: most of it is waiting.
        try await withThrowingTaskGroup { group in
            group.addTask { try await Look.look(findings, BlockedMainActor.look) }
            group.addTask { try await KilledPeer.look(findings) }
            group.addTask { try await StoppedPeer.look(findings) }
            group.addTask {
                try await Look.look(findings, SlowPeer.lookAtReader)
                try await Look.look(findings, SlowPeer.lookAtWriter)
            }
            group.addTask { try await Namespace.look(findings) }
            try await group.waitForAll()
        }
        // Nobody else may need a descriptor meanwhile.
        try await FewDescriptors.look(findings)
        findings.finish()
    }
}
