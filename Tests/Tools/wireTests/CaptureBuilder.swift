// SPDX-License-Identifier: Apache-2.0

/// Bytes to which big-endian and little-endian numbers can be appended.
struct NumberBytes {
    var bytes: [UInt8] = []
    var isLittle = false

    mutating func add16(_ number: Int) { add(number, 2) }
    mutating func add32(_ number: Int) { add(number, 4) }

    private mutating func add(_ number: Int, _ width: Int) {
        let shifts = (0..<width).map { 8 * $0 }
        for shift in isLittle ? shifts : shifts.reversed() {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

/// A TCP segment from one side to the other, and the frames that carry it.
struct TestSegment {
    enum Flag {
        static let fin = 1
        static let syn = 2
        static let reset = 4
        static let ack = 16
    }

    var fromClient = true
    var sequence = 1001
    var acknowledgement = 2001
    var flags = Flag.ack
    var payload: [UInt8] = []
    var clientPort = 40_000
    var serverPort = 9001

    /// TCP without a checksum: the reader of captures does not verify it.
    var tcp: [UInt8] {
        var header = NumberBytes()
        header.add16(fromClient ? clientPort : serverPort)
        header.add16(fromClient ? serverPort : clientPort)
        header.add32(sequence)
        header.add32(acknowledgement)
        header.add16(0x5000 | flags)
        for number in [0xFFFF, 0, 0] { header.add16(number) }
        return header.bytes + payload
    }

    func ipv4(fragment: Int = 0) -> [UInt8] {
        var header = NumberBytes()
        for number in [0x4500, 20 + tcp.count, 7, fragment, 64 << 8 | 6, 0] { header.add16(number) }
        let addresses: [[UInt8]] = [[10, 0, 0, 1], [10, 0, 0, 2]]
        return header.bytes + (fromClient ? addresses : addresses.reversed()).flatMap(\.self) + tcp
    }

    /// IPv6 with options for each hop, and a fragment header of a whole packet.
    var ipv6: [UInt8] {
        let extensions: [UInt8] = [44, 0, 1, 4, 0, 0, 0, 0] + [6, 0, 0, 0, 0, 0, 0, 1]
        var header = NumberBytes()
        header.add32(0x6000_0000)
        header.add16(extensions.count + tcp.count)
        header.bytes += [0, 64]
        let addresses = [1, 2].map { Array(repeating: UInt8(0), count: 15) + [$0] }
        return header.bytes + (fromClient ? addresses : addresses.reversed()).flatMap(\.self) + extensions + tcp
    }
}

/// A capture file made for a test.
enum TestCapture {
    static let time = 1_795_510_800

    /// pcap, with one second between frames.
    static func pcap(_ frames: [[UInt8]], link: Int = 101, isLittle: Bool = true, isFine: Bool = false) -> [UInt8] {
        var file = NumberBytes(isLittle: isLittle)
        file.add32(isFine ? 0xA1B2_3C4D : 0xA1B2_C3D4)
        file.add16(2)
        file.add16(4)
        for number in [0, 0, 65_535, link] { file.add32(number) }
        for (index, frame) in frames.enumerated() {
            for number in [time + index, 5000, frame.count, frame.count] { file.add32(number) }
            file.bytes += frame
        }
        return file.bytes
    }

    static func block(_ type: Int, _ content: [UInt8], isLittle: Bool) -> [UInt8] {
        let padding = (4 - content.count % 4) % 4
        var block = NumberBytes(isLittle: isLittle)
        block.add32(type)
        block.add32(12 + content.count + padding)
        block.bytes += content + Array(repeating: 0, count: padding)
        block.add32(12 + content.count + padding)
        return block.bytes
    }

    /// pcapng, with a block of an unknown type, nanoseconds, and one second between frames.
    static func pcapng(_ frames: [[UInt8]], link: Int = 101, isLittle: Bool = true) -> [UInt8] {
        var section = NumberBytes(isLittle: isLittle)
        section.add32(0x1A2B_3C4D)
        section.add16(1)
        section.add16(0)
        section.bytes += Array(repeating: 0xFF, count: 8)
        var interface = NumberBytes(isLittle: isLittle)
        interface.add16(link)
        interface.add16(0)
        interface.add32(0)
        interface.add16(9)
        interface.add16(1)
        interface.bytes += [9, 0, 0, 0]
        interface.add32(0)
        var file = block(0x0A0D_0D0A, section.bytes, isLittle: isLittle)
        file += block(1, interface.bytes, isLittle: isLittle) + block(0x0BAD, [1, 2, 3], isLittle: isLittle)
        for (index, frame) in frames.enumerated() {
            let ticks = (time + index) * 1_000_000_000 + 5_000_000
            var packet = NumberBytes(isLittle: isLittle)
            for number in [0, ticks >> 32, ticks & 0xFFFF_FFFF, frame.count, frame.count] { packet.add32(number) }
            file += block(6, packet.bytes + frame, isLittle: isLittle)
        }
        return file
    }
}
