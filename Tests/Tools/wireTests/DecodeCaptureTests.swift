// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineSchema

@testable import wire

/// Captures: the formats, the networks, and TCP put together again.
struct DecodeCaptureTests {
    private static let packet = [UInt8](packetBytes)
    private static let reply: [UInt8] = [0, 0, 0, 11, 0x4E, 0x21, 1, 0, 0, 0, 7]

    private static let start = [
        TestSegment(sequence: 1000, flags: TestSegment.Flag.syn),
        TestSegment(fromClient: false, sequence: 2000, flags: TestSegment.Flag.syn | TestSegment.Flag.ack),
    ]
    private static let exchange =
        start + [
            TestSegment(payload: packet),
            TestSegment(fromClient: false, sequence: 2001, acknowledgement: 1016, payload: reply),
        ]

    private func translator() throws -> PacketTranslator {
        let files = [SourceFile(path: "a.wire", bytes: Array(sceneSchema.utf8))]
        return PacketTranslator(try #require(ProtocolDescription.check(name: "Scene", files: files).description))
    }

    /// Decodes a file in pieces of this size.
    private func decode(_ file: [UInt8], by size: Int = 1 << 20, port: UInt16? = nil) throws -> [CaptureOutput] {
        var decoder = CaptureDecoder(try translator(), port: port)
        var output: [CaptureOutput] = []
        do throws(CaptureError) {
            for start in stride(from: 0, to: file.count, by: size) {
                try decoder.receive(Array(file[start..<min(file.count, start + size)]), &output)
            }
            try decoder.finish(&output)
        } catch {
            output.append(.fault(error.description))
        }
        return output
    }

    private func decode(_ segments: [TestSegment], port: UInt16? = nil) throws -> [CaptureOutput] {
        try decode(TestCapture.pcap(segments.map { $0.ipv4() }), port: port)
    }

    private func line(
        _ packet: String, _ from: String, second: Int, number: Int = 1, addresses: [String] = ["10.0.0.1", "10.0.0.2"],
        fraction: String = "005000", port: Int = 40_000
    ) -> CaptureOutput {
        .line(
            packet.dropLast()
                + #","connection":\#(number),"from":"\#(from)","time":"2026-11-24T09:00:0\#(second).\#(fraction)Z""#
                + #","client":"\#(addresses[0]):\#(port)","server":"\#(addresses[1]):9001"}"#)
    }

    private var clientLine: String { String(packetLine.dropLast()) }
    private let serverLine =
        #"{"message":"Sc_20001","id":20001,"header":{"length":11,"id":20001},"fields":{"Res":1,"SceneId":7}}"#

    private func expected(fraction: String = "005000", addresses: [String]? = nil) -> [CaptureOutput] {
        let addresses = addresses ?? ["10.0.0.1", "10.0.0.2"]
        return [
            line(clientLine, "client", second: 2, addresses: addresses, fraction: fraction),
            line(serverLine, "server", second: 3, addresses: addresses, fraction: fraction),
        ]
    }

    // MARK: Formats and networks

    @Test(arguments: [true, false]) func `both formats are read in both byte orders, however they arrive`(
        _ isLittle: Bool
    ) throws {
        let frames = Self.exchange.map { $0.ipv4() }
        let pcap = TestCapture.pcap(frames, isLittle: isLittle)
        let pcapng = TestCapture.pcapng(frames, isLittle: isLittle)
        for size in [1, 2, 7, 1 << 20] {
            #expect(try decode(pcap, by: size) == expected())
            #expect(try decode(pcapng, by: size) == expected(fraction: "005000000"))
        }
        let fine = TestCapture.pcap(frames, isLittle: isLittle, isFine: true)
        #expect(try decode(fine) == expected(fraction: "000005000"))
        #expect(try decode(pcapng + pcapng).count == 4)
    }

    @Test(
        arguments: [
            (1, Array(repeating: 2, count: 12) + [8, 0]),
            (1, Array(repeating: 2, count: 12) + [0x88, 0xA8, 0, 5, 0x81, 0, 0, 6, 8, 0]),
            (113, Array(repeating: 0, count: 14) + [8, 0]), (276, [8, 0] + Array(repeating: 0, count: 18)),
            (0, [2, 0, 0, 0]), (108, [0, 0, 0, 2]), (101, []), (12, []), (228, []),
        ] as [(Int, [UInt8])])
    func `the headers of networks are read`(_ link: Int, _ header: [UInt8]) throws {
        // Ethernet pads short frames.
        let frames = Self.exchange.map { header + $0.ipv4() + [0, 0, 0] }
        #expect(try decode(TestCapture.pcap(frames, link: link)) == expected())
    }

    @Test func `IPv6 is read with its extension headers`() throws {
        let file = TestCapture.pcap(Self.exchange.map(\.ipv6))
        #expect(try decode(file) == expected(addresses: ["[::1]", "[::2]"]))
    }

    @Test func `frames that cannot be read are counted`() throws {
        let segment = TestSegment(payload: Self.packet)
        let file = TestCapture.pcap([segment.ipv4(fragment: 0x2000), [0x45, 0], [0x75]])
        #expect(
            try decode(file) == [
                .fault("1 IP fragment with TCP: not put together"), .fault("2 frames with malformed headers"),
            ])
        let link = try decode(TestCapture.pcap([[1], [2]], link: 147))
        #expect(link.count == 1 && "\(link)".contains("frame 1: frames of link type 147 are not read"))
    }

    // MARK: TCP

    private static func split(_ bytes: [UInt8], every size: Int) -> [TestSegment] {
        stride(from: 0, to: bytes.count, by: size).map { start in
            TestSegment(sequence: 1001 + start, payload: Array(bytes[start..<min(bytes.count, start + size)]))
        }
    }

    private func lines(_ output: [CaptureOutput]) -> Int {
        output.count { if case .line = $0 { true } else { false } }
    }

    @Test(arguments: 1...16) func `segments of any size, order and number of copies make the same packets`(
        _ size: Int
    ) throws {
        let pieces = Self.split(Self.packet + Self.packet, every: size)
        let orders = [
            pieces, pieces.reversed(), pieces + pieces, pieces.flatMap { [$0, $0] },
            Self.split(Self.packet + Self.packet, every: size + 3) + pieces,
        ]
        for order in orders {
            let output = try decode(Self.start + order)
            #expect(output.count == 2 && lines(output) == 2, "\(output)")
        }
    }

    @Test func `sequence numbers wrap around`() throws {
        let first = 0xFFFF_FFF8
        let pieces = Self.split(Self.packet + Self.packet, every: 6).map { piece in
            var piece = piece
            piece.sequence = (piece.sequence - 1000 + first) & 0xFFFF_FFFF
            return piece
        }
        let output = try decode([TestSegment(sequence: first, flags: TestSegment.Flag.syn)] + pieces.reversed())
        #expect(output.count == 2 && lines(output) == 2, "\(output)")
    }

    @Test(arguments: [
        (
            1, 2,
            [
                "packet 1, which begins at byte 0: 10 bytes are missing at byte 10",
                "10 bytes are skipped; packet 2 begins at byte 30",
            ]
        ),
        (2, 3, ["packet 2, which begins at byte 15: 10 bytes are missing at byte 20"]),
        (3, 3, ["10 bytes are missing at byte 30", "5 bytes are skipped; packet 3 begins at byte 45"]),
    ])
    func `missing bytes are told, and decoding continues after them`(
        _ missing: Int, _ lineCount: Int, _ remarks: [String]
    ) throws {
        var pieces = Self.split(Self.packet + Self.packet + Self.packet + Self.packet, every: 10)
        pieces.remove(at: missing)
        let output = try decode(Self.start + pieces)
        let name = "end of the capture, connection 1, client (10.0.0.1:40000 to 10.0.0.2:9001): "
        let others = output.filter { if case .line = $0 { false } else { true } }
        #expect(lines(output) == lineCount, "\(output)")
        #expect(
            others == [.fault(name + remarks[0])] + remarks.dropFirst().map { .note(name + $0) }, "\(output)")
    }

    @Test func `bytes that the receiver confirms again and again are not waited for`() throws {
        var pieces = Self.split(Self.packet + Self.packet + Self.packet, every: 15)
        pieces.remove(at: 1)
        let confirmations = Array(
            repeating: TestSegment(fromClient: false, sequence: 2001, acknowledgement: 1046), count: 17)
        let output = try decode(Self.start + pieces + confirmations)
        let name = "frame 21, connection 1, client (10.0.0.1:40000 to 10.0.0.2:9001)"
        #expect(output.contains(.fault("\(name): 15 bytes are missing at byte 15")), "\(output)")
        #expect(lines(output) == 2)
    }

    @Test(arguments: [(1, 1025), (40_000, 27)]) func `what waits is limited`(_ size: Int, _ count: Int) throws {
        var assembler = TCPAssembler()
        func receive(_ number: Int) throws -> [TCPAssembler.Output] {
            let segment = TestSegment(sequence: 1001 + number * size, payload: Array(repeating: 0, count: size))
            guard
                case .segment(let parsed) = FrameContent(
                    CapturedFrame(number: 1, linkType: 101, time: nil, bytes: segment.ipv4()))
            else { return [] }
            return assembler.receive(parsed)
        }
        #expect(try receive(0).count == 1)
        for number in 2...count { #expect(try receive(number) == []) }
        let output = try receive(count + 1)
        #expect(output.first == .missing(size) && output.count == 1 + count)
        #expect(assembler.waitingByteCount == 0)
    }

    @Test func `a segment that waits is counted with what describes it`() throws {
        var assembler = TCPAssembler()
        for sequence in [1001, 1003] {
            let bytes = TestSegment(sequence: sequence, payload: [0]).ipv4()
            let frame = FrameContent(CapturedFrame(number: 1, linkType: 101, time: nil, bytes: bytes))
            if case .segment(let parsed) = frame { _ = assembler.receive(parsed) }
        }
        #expect(assembler.waitingByteCount > MemoryLayout<TCPSegment>.size)
    }

    @Test func `a part of a packet is counted with the times of its bytes`() throws {
        var stream = PacketStream(try translator(), .from(.client))
        let byteCount = Self.packet.count - 1
        for byte in Self.packet.dropLast() {
            _ = stream.receive([byte], at: CaptureTime(seconds: 0, nanoseconds: 0, isFine: false))
        }
        #expect(stream.heldByteCount >= byteCount * 17)
        _ = stream.finish()
        #expect(stream.heldByteCount == 0)
    }

    @Test func `bytes that the capture cut off count as missing`() throws {
        let long = TestSegment(payload: Self.packet + Self.packet).ipv4()
        let next = TestSegment(sequence: 1031, payload: Self.packet).ipv4()
        let output = try decode(TestCapture.pcap(Self.start.map { $0.ipv4() } + [Array(long.dropLast(20)), next]))
        #expect(lines(output) == 1 && "\(output)".contains("20 bytes are missing at byte 10"), "\(output)")
    }

    @Test func `a connection in the middle is read, and the lower port is the server's`() throws {
        let output = try decode(Array(Self.exchange.dropFirst(2)))
        #expect(lines(output) == 2 && output.count == 2, "\(output)")
        let late = try decode([TestSegment(payload: [1, 2, 3] + Self.packet + Self.packet)])
        #expect(lines(late) == 2 && "\(late)".contains("3 bytes are skipped"), "\(late)")
    }

    @Test func `a port is used again by a new connection`() throws {
        let end = [
            TestSegment(sequence: 1016, flags: TestSegment.Flag.fin | TestSegment.Flag.ack),
            TestSegment(fromClient: false, sequence: 2012, flags: TestSegment.Flag.fin | TestSegment.Flag.ack),
        ]
        let second = [
            TestSegment(sequence: 5000, flags: TestSegment.Flag.syn), TestSegment(sequence: 5001, payload: Self.packet),
        ]
        for between in [end, [], [TestSegment(flags: TestSegment.Flag.reset)]] {
            let output = try decode(Self.exchange + between + second)
            #expect(lines(output) == 3 && output.count == 3, "\(output)")
            #expect("\(output)".contains(#""connection\":2"#), "\(output)")
        }
    }

    @Test func `a packet that the end of its connection cuts is told`() throws {
        let cut = TestSegment(
            flags: TestSegment.Flag.fin | TestSegment.Flag.ack, payload: Array(Self.packet.prefix(10)))
        let output = try decode(Self.start + [cut])
        #expect(
            output == [
                .fault(
                    "frame 3, connection 1, client (10.0.0.1:40000 to 10.0.0.2:9001): packet 1, which begins at "
                        + "byte 0: the stream ended inside a packet: 10 bytes came, 5 more were needed")
            ])
    }

    @Test func `only connections of the port are read`() throws {
        var other = Self.exchange
        for index in other.indices {
            other[index].clientPort = 50_000
            other[index].serverPort = 80
        }
        let output = try decode(other + Self.exchange, port: 9001)
        #expect(lines(output) == 2 && output.count == 2)
        #expect(
            try decode(other, port: 9001) == [
                .fault("no TCP connection has port 9001; there are 4 segments of other ports")
            ])
    }

    @Test(
        arguments: [
            (Array("GET /ws HTTP/1.1\r\nUpgrade: websocket\r\n\r\n".utf8), "a WebSocket"),
            (Array("HTTP/1.1 200 OK\r\n".utf8), "HTTP"),
            ([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0], "TLS, which is encrypted"),
        ] as [([UInt8], String)])
    func `other protocols are named once a connection`(_ bytes: [UInt8], _ name: String) throws {
        let answer = TestSegment(fromClient: false, sequence: 2001, payload: Array("HTTP/1.1 101\r\n".utf8))
        let output = try decode(Self.start + [TestSegment(payload: bytes), answer])
        #expect(output.count == 1 && "\(output)".contains("this is \(name); its bytes are not decoded"), "\(output)")
    }

    // MARK: Hostile files

    @Test func `a file that is cut anywhere is told, after what was whole`() throws {
        let frames = Self.exchange.map { $0.ipv4() }
        for file in [TestCapture.pcap(frames), TestCapture.pcapng(frames)] {
            let whole = try decode(file)
            for count in 0..<file.count {
                let output = try decode(Array(file.prefix(count)))
                #expect(output.filter { whole.contains($0) }.elementsEqual(whole.prefix(lines(output))))
                let isBoundary = !"\(output)".contains("the capture")
                #expect(!isBoundary || count >= 24, "\(count): \(output)")
            }
        }
    }

    @Test func `no change of a byte traps or takes long`() throws {
        let frames = Self.exchange.map { Array(repeating: 2, count: 12) + [8, 0] + $0.ipv4() }
        for file in [TestCapture.pcap(frames, link: 1), TestCapture.pcapng(frames, link: 1)] {
            for index in file.indices {
                for value: UInt8 in [0, 0x7F, 0x80, 0xFF, file[index] ^ 1] {
                    var broken = file
                    broken[index] = value
                    _ = try decode(broken)
                }
            }
        }
    }

    @Test func `the offset of a broken block is told`() throws {
        let frames = Self.exchange.map { $0.ipv4() }
        var pcap = TestCapture.pcap(frames)
        pcap[24 + 11] = 0x7F
        #expect(
            try decode(pcap).last
                == .fault("the capture is broken at byte 24: a packet of 2130706472 bytes; at most 16777216 are read"))
        var pcapng = TestCapture.pcapng(frames)
        pcapng[28 + 4] = 3
        #expect("\(try decode(pcapng))".contains("the capture is broken at byte 28: a block of 3 bytes"))
        #expect(try decode([1, 2, 3, 4] + pcap) == [.fault("this is neither pcap nor pcapng")])
    }

    // MARK: The command

    @Test func `a capture comes from a file or from standard input`() throws {
        let workspace = try Workspace()
        let file = TestCapture.pcapng(Self.exchange.map { $0.ipv4() })
        try workspace.write(Data(file), to: "a.pcapng")
        let text = expected(fraction: "005000000").map { if case .line(let line) = $0 { line + "\n" } else { "" } }
            .joined()
        #expect(try workspace.wire("decode", "--capture", "a.pcapng") == .success(text))
        #expect(try workspace.wire("decode", "--capture", "a.pcapng", "--port", "9001") == .success(text))
        #expect(try workspace.wire("decode", input: Data(file)) == .success(text))
        #expect(try workspace.wire("decode", "--capture", "-", input: Data(file)) == .success(text))
        let cut = try workspace.wire("decode", input: Data(file.dropLast(3)))
        #expect(cut.status == 1 && cut.errors.contains("the capture ends after"), "\(cut)")
        let none = try workspace.wire("decode", "--capture", "none")
        #expect(none == Outcome(status: 1, output: "", errors: "error: cannot read none: No such file or directory\n"))
        try workspace.write(Data([0x1F, 0x8B, 8]), to: "a.gz")
        #expect(try workspace.wire("decode", "--capture", "a.gz").errors.hasPrefix("error: a.gz is compressed\n"))
        for words in [["--port", "1", packetHex], ["--capture", "a.pcapng", packetHex], ["--port", "0"]] {
            #expect(try workspace.wire(["decode"] + words).status == 2, "\(words)")
        }
        #expect(try workspace.wire("decode", "--port", "1", input: packetBytes).status == 2)
    }

    @Test func `what the proxy records is decoded`() async throws {
        let workspace = try Workspace()
        let path = workspace.folder.path + "/out.pcapng"
        let server = try ServingTool()
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address, "--record", path],
            files: ["Protocols/Scene/Scene.wire": sceneSchema])
        let connection = try await proxy.connect()
        await connection.sendRaw(Array(packetBytes))
        #expect(try await connection.next()?.id == 20_001)
        connection.endOutput()
        #expect(try await connection.rest() == [])
        connection.close()
        #expect(proxy.end().status == 0 && server.end() == .success(""))
        let port = try #require(server.address.split(separator: ":").last)
        // The server returned the client's own message.
        let outcome = try workspace.wire("decode", "--capture", path, "--from", "client", "--port", String(port))
        let lines = outcome.output.split(separator: "\n")
        #expect(outcome.status == 0 && outcome.errors.isEmpty && lines.count == 2, "\(outcome)")
        #expect(lines.allSatisfy { $0.hasPrefix(clientLine.dropLast()) })
        #expect(lines.first?.contains(#""connection":1,"from":"client""#) ?? false)
        #expect(lines.last?.contains(#""connection":1,"from":"server""#) ?? false)
    }
}
