// SPDX-License-Identifier: Apache-2.0

/// A frame as tests write and read it, byte by byte and with nothing of the code that they test.
public struct Frame: Equatable, Sendable, CustomStringConvertible {
    public var isFinal: Bool
    public var reservedBits: UInt8
    public var opcode: UInt8
    public var payload: [UInt8]

    public init(isFinal: Bool = true, reservedBits: UInt8 = 0, opcode: UInt8, payload: [UInt8] = []) {
        self.isFinal = isFinal
        self.reservedBits = reservedBits
        self.opcode = opcode
        self.payload = payload
    }

    public static func text(_ text: String, isFinal: Bool = true, reservedBits: UInt8 = 0) -> Frame {
        Frame(isFinal: isFinal, reservedBits: reservedBits, opcode: 1, payload: Array(text.utf8))
    }

    public static func text(_ bytes: [UInt8], isFinal: Bool = true) -> Frame {
        Frame(isFinal: isFinal, opcode: 1, payload: bytes)
    }

    public static func binary(_ bytes: [UInt8], isFinal: Bool = true, reservedBits: UInt8 = 0) -> Frame {
        Frame(isFinal: isFinal, reservedBits: reservedBits, opcode: 2, payload: bytes)
    }

    public static func more(_ bytes: [UInt8], isFinal: Bool = false) -> Frame {
        Frame(isFinal: isFinal, opcode: 0, payload: bytes)
    }

    public static func more(_ text: String, isFinal: Bool = false) -> Frame { more(Array(text.utf8), isFinal: isFinal) }

    public static func ping(_ text: String = "") -> Frame { Frame(opcode: 9, payload: Array(text.utf8)) }

    public static func pong(_ text: String = "") -> Frame { Frame(opcode: 10, payload: Array(text.utf8)) }

    public static func close(_ code: UInt16? = nil, _ reason: String = "") -> Frame {
        Frame(opcode: 8, payload: (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + Array(reason.utf8))
    }

    /// The frame on the wire.
    public func bytes(maskedWith key: [UInt8]?) -> [UInt8] {
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
        return bytes + key + payload.masked(with: key)
    }

    /// The frames that bytes are; nil where they are none, are cut off, or are masked otherwise than is told.
    public static func frames(_ bytes: [UInt8], areMasked: Bool) -> [Frame]? {
        var frames: [Frame] = []
        var offset = 0
        while offset < bytes.count {
            guard let frame = frame(in: bytes, at: &offset, isMasked: areMasked) else { return nil }
            frames.append(frame)
        }
        return frames
    }

    /// The frame at an offset, which is moved after it; nil where it is none, is cut off, or is masked otherwise than is
    /// told.
    public static func frame(in bytes: [UInt8], at offset: inout Int, isMasked: Bool) -> Frame? {
        var position = offset
        func take(_ count: Int) -> [UInt8]? {
            guard bytes.count - position >= count else { return nil }
            defer { position += count }
            return Array(bytes[position..<position + count])
        }
        guard let start = take(2), (start[1] & 0x80 != 0) == isMasked else { return nil }
        var count = Int(start[1] & 0x7F)
        if count > 125 {
            guard let length = take(count == 126 ? 2 : 8) else { return nil }
            count = length.reduce(0) { $0 << 8 | Int($1) }
            guard count > (length.count == 2 ? 125 : 65_535) else { return nil }
        }
        let key = isMasked ? take(4) : [0, 0, 0, 0]
        guard let key, let payload = take(count) else { return nil }
        offset = position
        return Frame(
            isFinal: start[0] & 0x80 != 0, reservedBits: start[0] >> 4 & 7, opcode: start[0] & 0xF,
            payload: isMasked ? payload.masked(with: key) : payload)
    }

    public var description: String {
        let text = payload.count > 40 ? "\(payload.count) bytes" : String(decoding: payload, as: UTF8.self)
        return "\(isFinal ? "" : "part of ")\(opcode)/\(reservedBits): \(text.debugDescription)"
    }
}

extension [UInt8] {
    /// The bytes with a mask on, or without the one that they have (RFC 6455 §5.3).
    ///
    /// Eight at a time, for there are long ones, and tests are not optimised.
    fileprivate func masked(with key: [UInt8]) -> [UInt8] {
        var bytes = self
        let word = (key + key).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        bytes.withUnsafeMutableBytes { bytes in
            var offset = 0
            while offset + 8 <= bytes.count {
                let masked = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ word
                bytes.storeBytes(of: masked, toByteOffset: offset, as: UInt64.self)
                offset += 8
            }
            for rest in offset..<bytes.count { bytes[rest] ^= key[rest % 4] }
        }
        return bytes
    }
}
