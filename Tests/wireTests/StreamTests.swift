// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `decode` as a part of a pipe.
struct StreamTests {
    static let packetCount = 1_400_000

    /// 21 MB of packets are far more than the 64 MiB of address space that are left once the program has started would
    /// allow if they were kept.
    @Test(.timeLimit(.minutes(3)))
    func `megabytes of packets go through in bounded memory`() throws {
        let workspace = try Workspace()
        var block = Data()
        block.reserveCapacity(packetBytes.count * 10_000)
        for _ in 0..<10_000 { block += packetBytes }
        try workspace.write(block, to: "block")
        let files = String(repeating: " block", count: Self.packetCount / 10_000)
        let outcome = try workspace.shell("cat\(files) | wire decode | sort -u | tee lines | wc -l; cat lines")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output.hasSuffix(packetLine))
        #expect(outcome.output.hasPrefix("1\n"))
    }

    @Test func `a packet is printed before more input comes`() throws {
        let line = """
            mkfifo in out
            wire decode --hex < in > out &
            exec 3> in 4< out
            echo \(packetHex) >&3
            read -r answer <&4
            echo "$answer"
            exec 3>&-
            wait $!
            """
        #expect(try Workspace().shell(line) == .success(packetLine))
    }

    @Test func `digits without a line break need no memory`() throws {
        let workspace = try Workspace()
        try workspace.write(String(repeating: packetHex, count: 100_000), to: "digits")
        let outcome = try workspace.shell("wire decode --hex < digits | sort -u; wire decode --hex < digits | wc -l")
        #expect(outcome.output == packetLine + "100000\n")
    }

    @Test func `a comment may be longer than a piece`() throws {
        let text = "# " + String(repeating: "no digits ", count: 50_000) + "\n" + packetHex
        #expect(try Workspace().wire("decode", "--hex", input: Data(text.utf8)) == .success(packetLine))
    }

    @Test func `what encode prints, decode reads, and the other way round`() throws {
        let line = "wire encode Cs_20001 '\(packetFields)' | wire decode --hex | wire encode Cs_20001"
        #expect(try Workspace().shell(line) == .success(packetHex + "\n"))
    }
}
