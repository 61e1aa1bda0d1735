// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// What `tcpdump` captures, decoded while it is captured. Only root may capture.
@Suite(
    .enabled(if: Peers.isWanted("tcpdump") && geteuid() == 0, "tcpdump is not installed, or this is not root"),
    .aside)
struct LiveCaptureTests {
    @Test(arguments: ["lo", "any"]) func `the packets of a call are decoded as they pass`(_ device: String) throws {
        let workspace = try Workspace()
        let server = try ServingTool()
        let port = try #require(server.address.split(separator: ":").last.map(String.init))
        // The buffer holds as many packets as fit at their largest size, which is 256 KiB without `-s`: on a busy machine,
        // eight are soon lost.
        let dump = workspace.process(
            shell: "exec tcpdump -Z root -i \(device) -s 4096 --immediate-mode -U -w - tcp port \(port)")
        let decoder = workspace.process(["decode", "--port", port, "--from", "client"])
        let (captured, remarks, output) = (Pipe(), Pipe(), Pipe())
        dump.standardOutput = captured
        dump.standardError = remarks
        decoder.standardInput = captured
        decoder.standardOutput = output
        try decoder.runWatched()
        try dump.runWatched()
        var text = ""
        while !text.contains("listening on") {
            let data = remarks.fileHandleForReading.availableData
            try #require(!data.isEmpty, "\(text)")
            text += String(decoding: data, as: UTF8.self)
        }
        let call = try workspace.wire(
            "call", server.address, "Cs_20001", packetFields, "--expect", "Cs_20001", "--timeout", "20m")
        #expect(call.status == 0, "\(call)")
        var lines = ""
        while lines.count(where: \.isNewline) < 2 {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "\(lines)")
            lines += String(decoding: data, as: UTF8.self)
        }
        // It has inherited a mask that blocks the others.
        kill(dump.processIdentifier, SIGKILL)
        dump.waitUntilExit()
        try captured.fileHandleForWriting.close()
        decoder.waitUntilExit()
        #expect(server.end() == .success(""))
        #expect(decoder.terminationStatus == 0)
        let found = lines.split(separator: "\n")
        let packet = packetLine.dropLast(2)
        #expect(found.count == 2 && found.allSatisfy { $0.hasPrefix(packet) }, "\(lines)")
        #expect(found.map { $0.contains(#""connection":1,"from":"client""#) } == [true, false])
    }
}
