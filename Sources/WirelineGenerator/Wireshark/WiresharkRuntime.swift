// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The part of a dissector that is the same for every protocol, except that parts which it does not use are left out.
///
/// It reads packets as `PacketTranslator` does, by the tables before it: the same checks in the same order, and the
/// same error texts. It is written for Lua 5.1 to 5.4: no operators for bits, no integer division, no `goto`.
///
/// Its time and memory do not depend on announced lengths. Every loop takes at least one byte of the input. The tree is
/// limited in size and depth, because Wireshark rejects larger ones.
enum WiresharkRuntime {
    static func text(for description: ProtocolDescription) -> String {
        let isFixedText = description.uses(\.isFixedText)
        let hasAnyChecksum = hasAnyChecksum(description.layout)
        let parts = [
            constants, numbers, declaring, isFixedText ? declaringFixedText : nil, declaringFields,
            isFixedText ? declaringDigitError : nil, declaringErrors, reading, varints,
            isFixedText ? readingFixedText : nil, hasAnyChecksum ? checksums : nil,
            packets(verifyingChecksum: hasAnyChecksum ? verifyingAnyChecksum : verifyingCRC32),
        ]
        return parts.compactMap(\.self).joined(separator: "\n")
    }

    /// Whether a layout has another checksum than CRC-32 of the payload.
    static func hasAnyChecksum(_ layout: PacketLayout) -> Bool {
        layout.fields.contains { $0.checksum != nil && $0.role != .checksum }
    }

    private static let constants = #"""
        local MOST_ITEMS = 50000   -- in the tree of one piece of a stream; Wireshark itself gives up at a million a frame
        local MOST_DEPTH = 100     -- of groups in one another; Wireshark gives up at 500
        local UTF_8 = ENC_UTF_8 or 2
        local NO_LIMITS = {}
        local SEVENS = { [0] = 1, 128, 16384, 2097152, 268435456, 8, 1024, 131072, 16777216, 2147483648 }

        """#
}
