// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport

/// `decode` as a part of a pipe.
struct StreamTests {
    /// A packet in the form that `printf` reads.
    static let escapedHex = packetBytes.map { #"\x"# + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

    /// A packet of 1,015 bytes.
    static let longPacket =
        Data([0, 0, 0x03, 0xF7, 0x4E, 0x21, 1, 0, 0, 0, 2, 0x03, 0xEA]) + Data(repeating: 0x78, count: 1002)

    #if os(Linux)
        @Test(.amongAll)
        func `20 megabytes of packets are decoded in bounded memory`() throws {
            let workspace = try Workspace()
            var block = Data()
            for _ in 0..<1000 { block += Self.longPacket }
            try workspace.write(block, to: "block")
            // After all lines have come, the program still waits for input, and its memory can be read. Its basic
            // memory differs from build to build, so a twentieth of the input is measured, too.
            let line = """
                mkfifo in out
                measure() {
                    ASAN_OPTIONS=quarantine_size_mb=1 wire decode < in > out &
                    decoder=$!
                    exec 3> in
                    for number in $(seq $1); do cat block; done >&3 &
                    head -n $((1000 * $1)) < out | wc -l
                    sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\) kB/\\1/p' /proc/$decoder/status
                    exec 3>&-
                    wait $decoder
                }
                measure 1
                measure 20
                """
            let outcome = try workspace.shell(line)
            let numbers = outcome.output.split(separator: "\n").compactMap { Int($0) }
            try #require(numbers.count == 4)
            #expect(numbers[0] == 1_000 && numbers[2] == 20_000)
            #expect(numbers[3] - numbers[1] < 10_000, "KiB more than for one megabyte")
        }
    #endif

    @Test func `a closed standard output or input is an error, and no other file is used instead`() throws {
        let workspace = try Workspace()
        let withoutOutput = try workspace.shell("echo \(packetHex) | wire decode --hex >&-")
        #expect(withoutOutput.status == 1)
        #expect(withoutOutput.errors.contains("cannot write to standard output: Bad file descriptor"))
        let withoutInput = try workspace.shell("wire decode --hex <&-")
        #expect(withoutInput.status == 1)
        #expect(withoutInput.errors.contains("Bad file descriptor"))
        #expect(try workspace.shell("wire nothing 2>&-").status == 2)
    }

    @Test func `packets across many pieces of input are whole`() throws {
        let workspace = try Workspace()
        var block = Data()
        for _ in 0..<10_000 { block += packetBytes + Self.longPacket }
        try workspace.write(block, to: "block")
        let outcome = try workspace.shell("wire decode < block | sort | uniq -c | cut -c1-40")
        let start = #"  10000 {"message":"Cs_20001","id":20001"#
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(outcome.output == "\(start)\n\(start)\n")
    }

    @Test func `a packet is printed before more input arrives`() throws {
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

    @Test(.amongAll)
    func `non-blocking input is waited for`() throws {
        let workspace = try Workspace()
        let (input, output) = (Pipe(), Pipe())
        let reading = input.fileHandleForReading.fileDescriptor
        #expect(fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK) == 0)
        let process = workspace.process(["decode"])
        process.standardInput = input
        process.standardOutput = output
        try process.runWatched()
        // The first answer shows that the program now waits for the second packet.
        try input.fileHandleForWriting.write(contentsOf: packetBytes)
        #expect(output.fileHandleForReading.availableData == Data(packetLine.utf8))
        try input.fileHandleForWriting.write(contentsOf: packetBytes)
        #expect(output.fileHandleForReading.availableData == Data(packetLine.utf8))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test(arguments: [packetHex, packetHex + ",", "0x" + packetHex + ":", packetHex + " - ", escapedHex])
    func `digits do not need line breaks`(_ digits: String) throws {
        let workspace = try Workspace()
        // The line break shifts the digits against the pieces in which they are read.
        try workspace.write("\n" + String(repeating: digits, count: 10_000), to: "digits")
        let outcome = try workspace.shell("wire decode --hex < digits | sort -u; wire decode --hex < digits | wc -l")
        #expect(outcome.output == packetLine + "10000\n")
    }

    @Test func `a comment may be longer than a piece of input`() throws {
        let text = "# " + String(repeating: "no digits ", count: 50_000) + "\n" + packetHex
        #expect(try Workspace().wire("decode", "--hex", input: Data(text.utf8)) == .success(packetLine))
    }

    @Test func `decode reads the output of encode, and encode reads that of decode`() throws {
        let line = "wire encode Cs_20001 '\(packetFields)' | wire decode --hex | wire encode Cs_20001"
        #expect(try Workspace().shell(line) == .success(packetHex + "\n"))
    }
}
