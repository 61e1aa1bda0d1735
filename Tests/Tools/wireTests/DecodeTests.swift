// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineCodec

struct DecodeTests {
    @Test func `each packet in digits becomes one line`() throws {
        #expect(try Workspace().wire("decode", packetHex) == .success(packetLine))
        #expect(try Workspace().wire("decode", packetHex + packetHex) == .success(packetLine + packetLine))
    }

    @Test(arguments: [
        "00 00 00 0f 4e 21 01 00:00:00:02 00 02 68 69", "0x0000000F4E21010000000200026869",
        #"\x00\x00\x00\x0f\x4e\x21\x01\x00\x00\x00\x02\x00\x02\x68\x69"#,
        "# a packet\n0000000f # its length\n4e21 01 00000002 00026869 # ff",
    ])
    func `digits are read in each form that people paste`(_ text: String) throws {
        #expect(try Workspace().wire("decode", text) == .success(packetLine))
        #expect(try Workspace().wire("decode", "--hex", input: Data(text.utf8)) == .success(packetLine))
        #expect(try Workspace().wire("decode", "--hex", input: Data((text + "\n").utf8)) == .success(packetLine))
    }

    @Test func `bytes are read from standard input`() throws {
        let outcome = try Workspace().wire("decode", input: packetBytes + packetBytes)
        #expect(outcome == .success(packetLine + packetLine))
        #expect(try Workspace().wire("decode", "-", input: packetBytes) == .success(packetLine))
        #expect(try Workspace().wire("decode", input: Data()) == .success(""))
    }

    @Test func `the option chooses the direction if both sides have the ID`() throws {
        let server = "0000000b4e210100000007"
        let line =
            #"{"message":"Sc_20001","id":20001,"header":{"length":11,"id":20001},"fields":{"Res":1,"SceneId":7}}"#
        #expect(try Workspace().wire("decode", server, "--from", "server") == .success(line + "\n"))
    }

    @Test(arguments: ["client", "server"])
    func `if only one direction has the ID, that direction is used`(_ sender: String) throws {
        let workspace = try Workspace(["P/a.wire": "message Cs_1 {}\nmessage Sc_2 {}\n"])
        let outcome = try workspace.wire("decode", "000000060001000000060002", "--from", sender, "--protocol", "P")
        let lines =
            #"{"message":"Cs_1","id":1,"header":{"length":6,"id":1},"fields":{}}"# + "\n"
            + #"{"message":"Sc_2","id":2,"header":{"length":6,"id":2},"fields":{}}"# + "\n"
        #expect(outcome == .success(lines))
    }

    @Test func `an unknown ID is not an error`() throws {
        let line = #"{"message":null,"id":9,"header":{"length":8,"id":9},"payload":"beef"}"# + "\n"
        #expect(try Workspace().wire("decode", "000000080009beef" + packetHex) == .success(line + packetLine))
    }

    @Test(arguments: [
        (
            "0000000f4e21", "the stream ended inside a packet: 6 bytes came, 9 more were needed"
        ),
        ("00", "the stream ended inside a packet: 1 byte came, 3 more were needed"),
        ("000000054e21", "length 0x05 (5) at offset 0 is under the minimum of 6"),
        ("0000000a4e2101000000", "Cs_20001.Line: needs 4 bytes at offset 7, 3 are left"),
        ("0000000f4e2101000000020002ff69", "Cs_20001.message: not UTF-8 at offset 13"),
    ])
    func `packets before an error are printed`(_ broken: String, _ error: String) throws {
        let outcome = try Workspace().wire("decode", packetHex + packetHex + broken)
        #expect(outcome.status == 1)
        #expect(outcome.output == packetLine + packetLine)
        #expect(outcome.errors.hasPrefix("error: packet 3, which begins at byte 30: "))
        #expect(outcome.errors.contains(error))
    }

    @Test func `another protocol's bytes are recognised`() throws {
        let outcome = try Workspace().wire("decode", input: Data("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("these bytes are ASCII \"GET \": is this an HTTP client?"))
    }

    @Test(arguments: [("00zz", 2), ("0", 1), ("00 0", 4), ("0g", 1), ("00\n00\n0 0", 7), ("0000000800090000z0", 16)])
    func `invalid digits are refused with their offset`(_ text: String, _ offset: Int) throws {
        let error = "not pairs of hexadecimal digits at offset \(offset)\n"
        let outcome = try Workspace().wire("decode", text)
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("error: HEX: " + error), "\(outcome)")
        let input = try Workspace().wire("decode", "--hex", input: Data(text.utf8))
        #expect(input == Outcome(status: 1, output: "", errors: "error: " + error))
    }

    @Test(arguments: [packetHex, "00 00\n", "\t" + packetHex + "\r\n", "0"])
    func `raw input that is all hexadecimal text gets a hint`(_ text: String) throws {
        let outcome = try Workspace().wire("decode", input: Data(text.utf8))
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("error: packet 1, which begins at byte 0: "))
        #expect(outcome.errors.hasSuffix("\nhelp: this is hexadecimal text: use --hex\n"))
    }

    @Test(arguments: [packetBytes + Data("00".utf8), Data((packetHex + "\n# a packet").utf8), Data(" \n".utf8)])
    func `raw input that is not all hexadecimal text gets no hint`(_ input: Data) throws {
        let outcome = try Workspace().wire("decode", input: input)
        #expect(outcome.status == 1)
        #expect(!outcome.errors.contains("help:"))
    }

    @Test func `digits in --hex input that are not a packet get no hint`() throws {
        let outcome = try Workspace().wire("decode", "--hex", input: Data("00".utf8))
        #expect(outcome.status == 1)
        #expect(!outcome.errors.contains("help:"))
    }

    @Test(arguments: ["", " ", "# nothing"]) func `an argument without bytes is an error`(_ text: String) throws {
        let errors = "error: HEX has no bytes\nhelp: leave it out to read standard input\n"
        let outcome = try Workspace().wire("decode", text)
        #expect(outcome.status == 2 && outcome.output.isEmpty && outcome.errors.hasPrefix(errors), "\(outcome)")
        #expect(try Workspace().wire("decode", "--hex", input: Data(text.utf8)) == .success(""))
    }

    @Test func `control characters from packets do not reach the terminal`() throws {
        let outcome = try Workspace().wire("decode", "0000000f4e210100000002" + "00021b63")
        #expect(outcome.output.contains(#""message":"\u001bc""#))
        #expect(!outcome.output.contains("\u{1B}"))
    }

    // MARK: After a broken packet

    private static let wrongField = "0000000f4e210100000002ffff6869"
    private static let wrongLength = "000000030000"

    @Test func `a stream continues after a packet that does not match the schema`() throws {
        let text = packetHex + Self.wrongField + packetHex
        let errors =
            "error: packet 2, which begins at byte 15: Cs_20001.message: needs 65535 bytes at offset 13, 2 are left\n"
        let expected = Outcome(status: 1, output: packetLine + packetLine, errors: errors)
        #expect(try Workspace().wire("decode", "--hex", input: Data(text.utf8)) == expected)
        #expect(try Workspace().wire("decode", input: Hexadecimal.bytes(of: text).data) == expected)
        #expect(try Workspace().wire("decode", text).output == packetLine)
    }

    @Test(arguments: ["", "00", "ffffffff", "0000000900094e21"]) func `a stream continues where two packets follow`(
        _ noise: String
    ) throws {
        let broken = Self.wrongLength + noise
        let outcome = try Workspace().wire(
            "decode", "--hex", input: Data((packetHex + broken + packetHex + packetHex).utf8))
        let count = broken.count / 2
        #expect(outcome.status == 1 && outcome.output == packetLine + packetLine + packetLine)
        let errors =
            "error: packet 2, which begins at byte 15: length 0x03 (3) at offset 0 is under the minimum of 6\n"
            + "\(count) bytes are skipped; packet 3 begins at byte \(15 + count)\n"
        #expect(outcome.errors == errors)
    }

    @Test func `one packet is enough at the end, and bytes without one are counted`() throws {
        let last = try Workspace().wire("decode", "--hex", input: Data((Self.wrongLength + packetHex).utf8))
        #expect(last.status == 1 && last.output == packetLine)
        let none = try Workspace().wire("decode", "--hex", input: Data((Self.wrongLength + packetHex + "00").utf8))
        #expect(none.status == 1 && none.output.isEmpty)
        #expect(none.errors.hasSuffix("22 bytes are skipped; no packet follows\n"), "\(none)")
    }
}

extension [UInt8] {
    fileprivate var data: Data { Data(self) }
}
