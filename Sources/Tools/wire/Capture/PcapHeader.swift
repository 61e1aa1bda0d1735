// SPDX-License-Identifier: Apache-2.0

/// The header of a pcap file (draft-ietf-opsawg-pcap §4).
///
///     +-------+---------+----------+-----------------+-----------+
///     | magic | version | 8 unused | longest capture | link type |
///     +-------+---------+----------+-----------------+-----------+
struct PcapHeader {
    static let byteCount = 24

    let order: CaptureOrder
    /// Whether times have nanoseconds. Otherwise they have microseconds.
    let isFine: Bool
    let linkType: UInt16

    private static let magics: [(bytes: [UInt8], order: CaptureOrder, isFine: Bool)] = [
        ([0xA1, 0xB2, 0xC3, 0xD4], .big, false), ([0xD4, 0xC3, 0xB2, 0xA1], .little, false),
        ([0xA1, 0xB2, 0x3C, 0x4D], .big, true), ([0x4D, 0x3C, 0xB2, 0xA1], .little, true),
    ]

    /// Whether the bytes can be the beginning of a header: the magic number and version 2.4.
    static func mayBegin(_ bytes: [UInt8]) -> Bool {
        magics.contains { magic in
            let version: [UInt8] = magic.order == .big ? [0, 2, 0, 4] : [2, 0, 4, 0]
            return bytes.prefix(8).elementsEqual((magic.bytes + version).prefix(bytes.count))
        }
    }

    /// nil if the header is incomplete.
    init?(_ view: CaptureBlock) {
        guard view.count >= Self.byteCount, let magic = Self.magics.first(where: { view.prefix(4) == $0.bytes })
        else { return nil }
        order = magic.order
        isFine = magic.isFine
        // The upper half of the field has other information.
        linkType = UInt16(truncatingIfNeeded: view.number(at: 20, order))
    }
}
