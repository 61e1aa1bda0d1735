// SPDX-License-Identifier: Apache-2.0

public import WirelineWebSocket

/// A case about frames: what a peer sends to an echoing side, and what it must get back, frame by frame.
public struct ConformanceCase: EchoCase {
    public let name: String
    public let sends: [Frame]
    /// What comes back; in fragments it never does.
    public let gets: [Frame]

    public var terms: DeflateTerms? { nil }

    init(_ name: String, _ sends: [Frame], _ gets: [Frame]) {
        self.name = name
        self.sends = sends
        self.gets = gets
    }

    /// A case after which both close.
    static func fine(_ name: String, _ sends: [Frame], _ gets: [Frame]) -> ConformanceCase {
        ConformanceCase(name, sends + [.close(1000)], gets + [.close(1000)])
    }

    /// A case in which the side finds fault; what comes after is not looked at.
    static func fault(_ name: String, _ sends: [Frame], _ gets: [Frame] = [], _ code: UInt16 = 1002) -> ConformanceCase
    {
        ConformanceCase(name, sends + [.text("not looked at"), .ping("neither")], gets + [.close(code)])
    }

    public func pieces(from peer: WebSocketRole) -> [[UInt8]] { [sends.bytes(from: peer)] }

    public func fault(in frames: [Frame], to peer: WebSocketRole) -> String? {
        // A pong leaves when its ping has come, and overtakes what a program still has to say.
        func isPong(_ frame: Frame) -> Bool { frame.opcode == 10 }
        let isRight =
            frames.filter(isPong) == gets.filter(isPong)
            && frames.filter { !isPong($0) } == gets.filter { !isPong($0) }
        return isRight ? nil : "\(frames) came back"
    }

    public static let all: [ConformanceCase] =
        sizes + pings + reservedBits + opcodes + fragments + texts + closes

    // MARK: 1: framing

    static let sizes: [ConformanceCase] = [0, 1, 125, 126, 127, 128, 300].flatMap { count in
        let text = Frame.text(String(repeating: "*", count: count))
        let binary = Frame.binary([UInt8](repeating: 0xFE, count: count))
        return [fine("1.1 with \(count) bytes", [text], [text]), fine("1.2 with \(count) bytes", [binary], [binary])]
    }

    // MARK: 2: pings and pongs

    static let pings: [ConformanceCase] = [
        fine("2.1", [.ping()], [.pong()]), fine("2.2", [.ping("Hello")], [.pong("Hello")]),
        fine(
            "2.3", [Frame(opcode: 9, payload: [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF])],
            [Frame(opcode: 10, payload: [0x00, 0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0x00, 0xFF])]),
        fine(
            "2.4", [.ping(String(repeating: "x", count: 125))], [.pong(String(repeating: "x", count: 125))]),
        fault("2.5", [.ping(String(repeating: "x", count: 126))]), fine("2.7", [.pong()], []),
        fine("2.8", [.pong("unsolicited")], []),
        fine("2.9", [.pong("unsolicited"), .ping("asked")], [.pong("asked")]),
        fine("2.10", (0..<10).map { .ping("payload-\($0)") }, (0..<10).map { .pong("payload-\($0)") }),
        fault("2.5 for pongs", [.pong(String(repeating: "x", count: 126))]),
    ]

    // MARK: 3: reserved bits

    static let reservedBits: [ConformanceCase] = (UInt8(1)...7).flatMap { bits in
        [
            fault("3.\(bits)", [.text("*", reservedBits: bits)]),
            fault("3.\(bits) after a message", [.text("*"), .binary([1], reservedBits: bits)], [.text("*")]),
            fault("3.\(bits) in a ping", [.text("*"), Frame(reservedBits: bits, opcode: 9)], [.text("*")]),
            fault("3.\(bits) in a close", [Frame(reservedBits: bits, opcode: 8)]),
            fault(
                "3.\(bits) in a continuation",
                [.text("*", isFinal: false), Frame(reservedBits: bits, opcode: 0, payload: [0x2A])]),
        ]
    }

    // MARK: 4: opcodes

    static let opcodes: [ConformanceCase] = ([3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8]).flatMap { opcode in
        [
            fault("4.\(opcode)", [Frame(opcode: opcode)]),
            fault("4.\(opcode) after a message", [.text("*"), Frame(opcode: opcode, payload: [1])], [.text("*")]),
            fault("4.\(opcode) inside a message", [.text("*", isFinal: false), Frame(opcode: opcode)]),
        ]
    }

    // MARK: 5: fragments

    static let fragments: [ConformanceCase] = [
        fault("5.1", [Frame(isFinal: false, opcode: 9), .more("fragment", isFinal: true)]),
        fault("5.2", [Frame(isFinal: false, opcode: 10), .more("fragment", isFinal: true)]),
        fault("5.2 for close", [Frame(isFinal: false, opcode: 8), .more("fragment", isFinal: true)]),
        fine("5.3", [.text("one", isFinal: false), .more("two", isFinal: true)], [.text("onetwo")]),
        fine(
            "5.6", [.text("one", isFinal: false), .ping("asked"), .more("two", isFinal: true)],
            [.pong("asked"), .text("onetwo")]),
        fine("5.9 inverted", [.binary([1], isFinal: false), .more([], isFinal: true)], [.binary([1])]),
        fault("5.9", [.more("no message", isFinal: true)]), fault("5.12", [.more("no message")]),
        fault("5.10", [.text("*"), .more("no message", isFinal: true)], [.text("*")]),
        fault(
            "5.15",
            [
                .text("one", isFinal: false), .more("two", isFinal: true), .more("three"), .text("four"),
            ], [.text("onetwo")]),
        fault("5.18", [.text("one", isFinal: false), .text("two")]),
        fault("5.18 with parts", [.text("one", isFinal: false), .binary([2], isFinal: false)]),
        fine(
            "5.19",
            [
                .text("1", isFinal: false), .more("2"), .ping("one"), .more("3"), .more("4"), .ping("two"),
                .more("5", isFinal: true),
            ], [.pong("one"), .pong("two"), .text("12345")]),
        fine(
            "6.1", [.text("", isFinal: false), .more(""), .more("", isFinal: true)], [.text("")]),
        fine(
            "6.1 with a middle", [.text("", isFinal: false), .more("middle"), .more("", isFinal: true)],
            [.text("middle")]),
        fine(
            "close inside a message", [.text("begun", isFinal: false)], []),
    ]

    // MARK: 6: text

    static let texts: [ConformanceCase] =
        valid.enumerated().flatMap { index, bytes in
            [
                fine("6.valid.\(index)", [.text(bytes)], [.text(bytes)]),
                fine(
                    "6.valid.\(index) in parts",
                    [.text([], isFinal: false)] + bytes.map { .more([$0]) } + [.more([], isFinal: true)],
                    [.text(bytes)]),
            ]
        }
        + invalid.enumerated().flatMap { index, bytes in
            [
                fault("6.invalid.\(index)", [.text(bytes)], [], 1007),
                fault(
                    "6.invalid.\(index) in parts",
                    [.text([], isFinal: false)] + bytes.map { .more([$0]) } + [.more([], isFinal: true)], [], 1007),
                // The message never ends: the fault counts as soon as it is there.
                fault(
                    "6.4.invalid.\(index)", [.text(bytes + [0x20, 0x20], isFinal: false)], [], 1007),
            ]
        }

    static let valid: [[UInt8]] = [
        Array("Hello-µ@ßöäüàá-UTF-8!!".utf8), Array("κόσμε".utf8), [0x00], [0x7F], [0xC2, 0x80], [0xDF, 0xBF],
        [0xE0, 0xA0, 0x80],
        [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
        [0xEF, 0xBF, 0xBD], [0xEF, 0xBF, 0xBE], [0xF0, 0x9F, 0xBF, 0xBF], [0xEF, 0xBB, 0xBF, 0x41],
    ]

    static let invalid: [[UInt8]] = [
        [0x80], [0xBF], [0x80, 0xBF, 0x80], [0xC0, 0x20], [0xC0, 0x80], [0xC1, 0xBF], [0xC2, 0x20], [0xC2],
        [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28],
        [0xED, 0xA0, 0x80], [0xED, 0xAD, 0xBF], [0xED, 0xBF, 0xBF], [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80],
        [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x28, 0x8C, 0x28],
        [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84], [0xFE],
        [0xFF], [0xFE, 0xFE, 0xFF, 0xFF], Array("κόσμε".utf8) + [0xED, 0xA0, 0x80] + Array("edited".utf8),
        Array("κόσμε".utf8) + [0xF4, 0x90, 0x80, 0x80] + Array("edited".utf8),
    ]

    // MARK: 7: closing

    static let closes: [ConformanceCase] =
        [
            fine("7.1.1", [.text("Hello World!")], [.text("Hello World!")]),
            ConformanceCase("7.1.2", [.close(1000), .close(1000)], [.close(1000)]),
            ConformanceCase("7.1.3", [.close(1000), .ping()], [.close(1000)]),
            ConformanceCase("7.1.4", [.close(1000), .text("behind")], [.close(1000)]),
            ConformanceCase(
                "7.1.5", [.text("one", isFinal: false), .close(1000), .more("two", isFinal: true)], [.close(1000)]),
            ConformanceCase("7.3.1", [.close()], [.close()]),
            fault("7.3.2", [Frame(opcode: 8, payload: [0x03])]),
            ConformanceCase("7.3.4", [.close(1000, "Hello World!")], [.close(1000)]),
            ConformanceCase("7.3.5", [.close(1000, String(repeating: "*", count: 123))], [.close(1000)]),
            fault("7.3.6", [.close(1000, String(repeating: "*", count: 124))]),
            ConformanceCase("7.5 valid", [.close(1000, "κόσμε")], [.close(1000)]),
            fault(
                "7.5.1", [Frame(opcode: 8, payload: [0x03, 0xE8, 0xCE, 0xBA, 0xED, 0xA0, 0x80, 0x65])], [], 1007),
            fault("7.5.1 cut", [Frame(opcode: 8, payload: [0x03, 0xE8, 0xCE])], [], 1007),
        ]
        + ([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999] as [UInt16])
        .map { code in
            ConformanceCase("7.7 with \(code)", [.close(code)], [.close(code)])
        }
        + ([0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] as [UInt16]).map { code in
            fault("7.9 with \(code)", [.close(code)])
        }
}
