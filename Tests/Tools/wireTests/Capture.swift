// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A pcapng file with TCP, parsed as strictly as possible.
struct Capture {
    /// A TCP packet.
    struct Segment {
        var source: UInt16
        var target: UInt16
        var sequence: UInt32
        var flags: UInt16
        var payload: [UInt8]
    }

    struct Malformed: Error { var reason: String }

    private(set) var segments: [Segment] = []

    init(_ data: Data) throws {
        let bytes = [UInt8](data)
        func little(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
        var offset = 0
        var blockCount = 0
        var lastTime = 0
        while offset < bytes.count {
            guard offset + 12 <= bytes.count else { throw Malformed(reason: "a block is cut") }
            let (type, length) = (little(offset), little(offset + 4))
            guard length % 4 == 0, length >= 12, offset + length <= bytes.count, little(offset + length - 4) == length
            else { throw Malformed(reason: "block \(blockCount) has the length \(length)") }
            switch (blockCount, type) {
            case (0, 0x0A0D_0D0A):
                guard little(offset + 8) == 0x1A2B_3C4D else { throw Malformed(reason: "byte order") }
            case (1, 1): guard little(offset + 8) == 101 else { throw Malformed(reason: "link type") }
            case (2..., 6):
                let time = little(offset + 12) << 32 | little(offset + 16)
                guard time >= lastTime, little(offset + 20) == little(offset + 24) else {
                    throw Malformed(reason: "times")
                }
                lastTime = time
                let start = offset + 28
                segments.append(try Self.segment(Array(bytes[start..<start + little(offset + 20)])))
            default: throw Malformed(reason: "block \(blockCount) is a \(type)")
            }
            blockCount += 1
            offset += length
        }
    }

    private static func segment(_ packet: [UInt8]) throws -> Segment {
        func big(_ offset: Int) -> Int { Int(packet[offset]) << 8 | Int(packet[offset + 1]) }
        let isIPv4 = packet[0] == 0x45
        let start = isIPv4 ? 20 : 40
        let length = isIPv4 ? big(2) - 20 : big(4)
        guard isIPv4 || packet[0] == 0x60, start + length == packet.count else { throw Malformed(reason: "IP") }
        let protocolNumber = packet[isIPv4 ? 9 : 6]
        guard protocolNumber == 6 else { throw Malformed(reason: "protocol") }
        if isIPv4, sum(packet[0..<20]) != 0xFFFF { throw Malformed(reason: "the checksum of IP") }
        let addresses = packet[(isIPv4 ? 12 : 8)..<start]
        let covered = addresses + [0, 0, UInt8(length >> 8), UInt8(length & 0xFF), 0, 0, 0, 6] + packet[start...]
        guard sum(covered) == 0xFFFF else { throw Malformed(reason: "the checksum of TCP") }
        return Segment(
            source: UInt16(big(start)), target: UInt16(big(start + 2)),
            sequence: UInt32(big(start + 4)) << 16 | UInt32(big(start + 6)), flags: UInt16(big(start + 12) & 0x3F),
            payload: Array(packet[(start + (big(start + 12) >> 12) * 4)...]))
    }

    private static func sum(_ bytes: ArraySlice<UInt8>) -> Int {
        // An iterator would take minutes under the thread sanitizer.
        var (sum, index) = (0, bytes.startIndex)
        while index + 1 < bytes.endIndex {
            sum += Int(bytes[index]) << 8 + Int(bytes[index + 1])
            index += 2
        }
        if index < bytes.endIndex { sum += Int(bytes[index]) << 8 }
        while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
        return sum
    }

    /// All bytes that one port sent to another, ordered by their sequence numbers.
    func stream(from source: UInt16, to target: UInt16) throws -> [UInt8] {
        var next: UInt32?
        var bytes: [UInt8] = []
        for segment in segments where segment.source == source && segment.target == target {
            guard next == nil || next == segment.sequence else { throw Malformed(reason: "a gap") }
            bytes += segment.payload
            let takesNumber = segment.flags & 0x03 != 0
            next = segment.sequence &+ UInt32(segment.payload.count) + (takesNumber ? 1 : 0)
        }
        return bytes
    }
}
