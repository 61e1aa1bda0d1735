// SPDX-License-Identifier: Apache-2.0

/// A frame as these tests write and read it, byte by byte and with nothing of the code that they test.
struct Frame: Equatable, CustomStringConvertible {
    var isFinal = true
    var reservedBits: UInt8 = 0
    var opcode: UInt8
    var payload: [UInt8] = []

    static func text(_ text: String, isFinal: Bool = true, reservedBits: UInt8 = 0) -> Frame {
        Frame(isFinal: isFinal, reservedBits: reservedBits, opcode: 1, payload: text.bytes)
    }

    static func text(_ bytes: [UInt8], isFinal: Bool = true) -> Frame {
        Frame(isFinal: isFinal, opcode: 1, payload: bytes)
    }

    static func binary(_ bytes: [UInt8], isFinal: Bool = true, reservedBits: UInt8 = 0) -> Frame {
        Frame(isFinal: isFinal, reservedBits: reservedBits, opcode: 2, payload: bytes)
    }

    static func more(_ bytes: [UInt8], isFinal: Bool = false) -> Frame {
        Frame(isFinal: isFinal, opcode: 0, payload: bytes)
    }

    static func more(_ text: String, isFinal: Bool = false) -> Frame { more(text.bytes, isFinal: isFinal) }

    static func ping(_ text: String = "") -> Frame { Frame(opcode: 9, payload: text.bytes) }

    static func pong(_ text: String = "") -> Frame { Frame(opcode: 10, payload: text.bytes) }

    static func close(_ code: UInt16? = nil, _ reason: String = "") -> Frame {
        Frame(opcode: 8, payload: (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + reason.bytes)
    }

    /// The frame on the wire.
    func bytes(maskedWith key: [UInt8]?) -> [UInt8] {
        var bytes = [(isFinal ? 0x80 : 0) | reservedBits << 4 | opcode]
        let mask: UInt8 = key == nil ? 0 : 0x80
        switch payload.count {
        case ..<126: bytes.append(mask | UInt8(payload.count))
        case ..<65_536: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(mask | 127)
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 0xFF)) }
        }
        guard let key else { return bytes + payload }
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    /// The frames that bytes are; nil where they are none, are cut off, or are masked otherwise than is told.
    static func frames(_ bytes: [UInt8], areMasked: Bool) -> [Frame]? {
        var frames: [Frame] = []
        var rest = bytes[...]
        func take(_ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        while !rest.isEmpty {
            guard let start = take(2), (start[1] & 0x80 != 0) == areMasked else { return nil }
            var count = Int(start[1] & 0x7F)
            if count > 125 {
                guard let length = take(count == 126 ? 2 : 8) else { return nil }
                count = length.reduce(0) { $0 << 8 | Int($1) }
                guard count > (length.count == 2 ? 125 : 65_535) else { return nil }
            }
            let key = areMasked ? take(4) : [0, 0, 0, 0]
            guard let key, let payload = take(count) else { return nil }
            frames.append(
                Frame(
                    isFinal: start[0] & 0x80 != 0, reservedBits: start[0] >> 4 & 7, opcode: start[0] & 0xF,
                    payload: payload.enumerated().map { $1 ^ key[$0 % 4] }))
        }
        return frames
    }

    var description: String {
        let text = payload.count > 40 ? "\(payload.count) bytes" : String(decoding: payload, as: UTF8.self)
        return "\(isFinal ? "" : "part of ")\(opcode)/\(reservedBits): \(text.debugDescription)"
    }
}
