// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// Measures what a server costs while its clients behave badly, and whether it costs the same after a long time.
///
///     swift run -c release endurance                      half a minute of load, 10,000 connections that stall
///     swift run -c release endurance --seconds 300        five minutes of load
///     swift run -c release endurance --connections 1000   fewer that stall, if descriptors are few
///
/// The server runs in its own process, whose memory and descriptors are measured from outside. Each kind of handler is
/// measured.
@main
struct Endurance {
    var seconds = 30
    var connections = 10_000

    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        if arguments.popFirst(ifIs: "--serve") {
            return try await EchoServer.run(inBatches: arguments.popFirst(ifIs: "batches"))
        }
        var endurance = Endurance()
        while let option = arguments.popFirst() {
            guard let value = arguments.popFirst().flatMap({ Int($0) }), value > 0 else { usage() }
            switch option {
            case "--seconds": endurance.seconds = value
            case "--connections": endurance.connections = value
            default: usage()
            }
        }
        DescriptorLimit.raise()
        let findings = Findings()
        try await OffLoop.check(findings)
        for handler in ["task", "batches"] {
            print("== a \(handler == "task" ? "task a connection" : "batch handler")")
            try await Stalling(handler: handler, count: endurance.connections).run(findings)
            try await Load(handler: handler, seconds: max(1, endurance.seconds / 2)).run(findings)
        }
        findings.finish()
    }

    private static func usage() -> Never {
        fail("usage: endurance [--seconds N] [--connections N]", code: 2)
    }
}

extension ArraySlice<String> {
    mutating func popFirst(ifIs text: String) -> Bool {
        guard first == text else { return false }
        removeFirst()
        return true
    }
}
