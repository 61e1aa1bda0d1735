// SPDX-License-Identifier: Apache-2.0

/// A section of a pcapng file: its byte order and its interfaces (draft-ietf-opsawg-pcapng §4).
///
///     +------+--------+-----------+--------+
///     | type | length | content … | length |   each block
///     +------+--------+-----------+--------+
struct PcapngSection {
    struct Packet {
        let bytes: ArraySlice<UInt8>
        let linkType: UInt16
        let time: CaptureTime?
    }

    private struct Interface {
        var linkType: UInt16
        /// The largest number of captured bytes of a packet; 0 means no limit.
        var captureLimit: UInt32
        /// The unit of times: `if_tsresol` (default: microseconds).
        var resolution: UInt8 = 6
        /// The number of seconds to add to each time.
        var secondsOffset: Int64 = 0
    }

    private enum BlockType {
        static let section: UInt32 = 0x0A0D_0D0A
        static let interface: UInt32 = 1
        static let oldPacket: UInt32 = 2
        static let simplePacket: UInt32 = 3
        static let enhancedPacket: UInt32 = 6
    }

    private enum OptionCode {
        static let end: UInt16 = 0
        static let resolution: UInt16 = 9
        static let secondsOffset: UInt16 = 14
    }

    /// The limit is above the interfaces of any host. It bounds the memory.
    private static let maximumInterfaceCount = 4096

    private var order = CaptureOrder.little
    private var interfaces: [Interface] = []

    /// Whether the bytes can be the beginning of a section header block.
    static func mayBegin(_ bytes: [UInt8]) -> Bool {
        let mark: [UInt8] = [0x1A, 0x2B, 0x3C, 0x4D]
        let type: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
        let order = bytes.dropFirst(8).prefix(4)
        return bytes.prefix(4).elementsEqual(type.prefix(bytes.count))
            && (order.elementsEqual(mark.prefix(order.count))
                || order.elementsEqual(mark.reversed().prefix(order.count)))
    }

    /// Returns the size of the block that begins here; nil if there are too few bytes.
    mutating func byteCount(of view: CaptureBlock) throws(CaptureError) -> Int? {
        guard view.count >= 12 else { return nil }
        if view.number(at: 0, .big) == BlockType.section {
            switch view.number(at: 8, .big) {
            case 0x1A2B_3C4D: order = .big
            case 0x4D3C_2B1A: order = .little
            default: throw view.error("a section without a byte order")
            }
        }
        let byteCount = Int(view.number(at: 4, order))
        guard byteCount >= 12, byteCount % 4 == 0, byteCount <= CaptureReader.maximumBlockByteCount else {
            throw view.error(
                "a block of \(byteCount) bytes; the length is a multiple of 4 from 12 to "
                    + "\(CaptureReader.maximumBlockByteCount)")
        }
        return byteCount
    }

    /// Reads a whole block. Returns nil if it has no packet.
    mutating func read(_ block: CaptureBlock) throws(CaptureError) -> Packet? {
        let second = block.number(at: block.count - 4, order)
        guard Int(second) == block.count else {
            throw block.error("a block of \(block.count) bytes, whose length is \(second) at its end")
        }
        switch block.number(at: 0, order) {
        case BlockType.section: try readSection(block)
        case BlockType.interface: try readInterface(block)
        case BlockType.oldPacket:
            try require(block, 32, "packet")
            return try packet(block, interface: UInt32(block.shortNumber(at: 8, order)))
        case BlockType.enhancedPacket:
            try require(block, 32, "packet")
            return try packet(block, interface: block.number(at: 8, order))
        case BlockType.simplePacket: return try simplePacket(block)
        default: break
        }
        return nil
    }

    private func require(_ block: CaptureBlock, _ byteCount: Int, _ what: String) throws(CaptureError) {
        guard block.count < byteCount else { return }
        throw block.error("a \(what) block of \(block.count) bytes; it has at least \(byteCount)")
    }

    // MARK: Blocks

    private mutating func readSection(_ block: CaptureBlock) throws(CaptureError) {
        try require(block, 28, "section header")
        interfaces = []
        let version = block.shortNumber(at: 12, order)
        guard version == 1 else { throw block.error("version \(version) of pcapng; only version 1 is known") }
    }

    private mutating func readInterface(_ block: CaptureBlock) throws(CaptureError) {
        try require(block, 20, "interface")
        guard interfaces.count < Self.maximumInterfaceCount else {
            throw block.error("more than \(Self.maximumInterfaceCount) interfaces in a section")
        }
        var interface = Interface(
            linkType: block.shortNumber(at: 8, order), captureLimit: block.number(at: 12, order))
        var index = 16
        while index + 4 <= block.count - 4 {
            let code = block.shortNumber(at: index, order)
            let byteCount = Int(block.shortNumber(at: index + 2, order))
            guard code != OptionCode.end else { break }
            guard index + 4 + byteCount <= block.count - 4 else {
                throw block.error("an option of \(byteCount) bytes, longer than its block")
            }
            if code == OptionCode.resolution, byteCount == 1 {
                interface.resolution = block.bytes(from: index + 4, 1).first ?? 6
            } else if code == OptionCode.secondsOffset, byteCount == 8 {
                let (first, second) = (block.number(at: index + 4, order), block.number(at: index + 8, order))
                let (high, low) = order == .big ? (first, second) : (second, first)
                interface.secondsOffset = Int64(bitPattern: UInt64(high) << 32 | UInt64(low))
            }
            index += 4 + (byteCount + 3) & ~3
        }
        interfaces.append(interface)
    }

    /// Reads an old or an enhanced packet block. Both have the same numbers at the same offsets.
    private func packet(_ block: CaptureBlock, interface number: UInt32) throws(CaptureError) -> Packet {
        guard number < interfaces.count else {
            throw block.error("a packet of interface \(number), which is not described")
        }
        let interface = interfaces[Int(number)]
        let byteCount = Int(block.number(at: 20, order))
        guard byteCount <= block.count - 32 else {
            throw block.error("a packet of \(byteCount) bytes, longer than its block")
        }
        let ticks = UInt64(block.number(at: 12, order)) << 32 | UInt64(block.number(at: 16, order))
        return Packet(
            bytes: block.bytes(from: 28, byteCount), linkType: interface.linkType,
            time: Self.time(ticks, of: interface))
    }

    private func simplePacket(_ block: CaptureBlock) throws(CaptureError) -> Packet {
        try require(block, 16, "simple packet")
        guard let interface = interfaces.first else {
            throw block.error("a packet of interface 0, which is not described")
        }
        let original = Int(block.number(at: 8, order))
        let limit = interface.captureLimit == 0 ? Int.max : Int(interface.captureLimit)
        let byteCount = min(original, limit)
        guard byteCount <= block.count - 16 else {
            throw block.error("a packet of \(byteCount) bytes, longer than its block")
        }
        return Packet(bytes: block.bytes(from: 12, byteCount), linkType: interface.linkType, time: nil)
    }

    /// Converts a time. The interface's unit is 10^-n seconds, or 2^-n seconds if the highest bit is set.
    private static func time(_ ticks: UInt64, of interface: Interface) -> CaptureTime? {
        let exponent = Int(interface.resolution & 0x7F)
        let isBinary = interface.resolution & 0x80 != 0
        guard exponent <= (isBinary ? 63 : 19) else { return nil }
        let unit: UInt64 = isBinary ? 1 << exponent : (0..<exponent).reduce(1) { product, _ in product * 10 }
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: unit)
        let nanoseconds = unit.dividingFullWidth(rest.multipliedFullWidth(by: 1_000_000_000)).quotient
        let (sum, isOutOfRange) = Int64(clamping: seconds).addingReportingOverflow(interface.secondsOffset)
        guard !isOutOfRange, sum >= 0 else { return nil }
        return CaptureTime(
            seconds: UInt64(sum), nanoseconds: UInt32(nanoseconds), isFine: isBinary ? exponent > 20 : exponent > 6)
    }
}
