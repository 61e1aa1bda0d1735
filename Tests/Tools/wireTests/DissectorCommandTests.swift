// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// The command that `wire generate wireshark` prints.
@Suite(.enabled(if: SharkTool.isWanted, Comment(rawValue: SharkTool.absence)))
struct DissectorCommandTests {
    @Test(arguments: ["Scene", "MQTT", "AMQP", "HTTP2", "Modbus", "In"])
    func `it loads the dissector, also one that has the name of one of Wireshark's own`(name: String) throws {
        let workspace = try Workspace(["Protocols/\(name)/a.wire": sceneSchema])
        let note = try workspace.wire("generate", "wireshark", "--out", "out").errors
        let line = try #require(note.split(separator: "\n").first { $0.contains("lua_script:") })
        // A capture without packets: only the options count.
        let header: [UInt8] = [
            0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 1, 0, 0, 0,
        ]
        try Data(header).write(to: workspace.folder.appending(path: "empty.pcap"))
        let command = line.trimmingCharacters(in: .whitespaces).replacing("wireshark", with: "tshark -r empty.pcap")
        let outcome = try workspace.shell(command)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }
}
