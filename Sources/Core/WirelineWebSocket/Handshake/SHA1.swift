// SPDX-License-Identifier: Apache-2.0

/// SHA-1 (FIPS 180-4 §6.1), used for the handshake's answer; it protects nothing there.
enum SHA1 {
    /// Returns the 20 bytes of the hash.
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        padded.append(contentsOf: repeatElement(0, count: (119 - message.count % 64) % 64))
        let bitCount = UInt64(message.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }

        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for start in stride(from: 0, to: padded.count, by: 64) { add(padded[start..<start + 64], to: &state) }
        return state.flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<80 {
            words.append(rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
        }
        var (first, second, third, fourth, fifth) = (state[0], state[1], state[2], state[3], state[4])
        for index in 0..<80 {
            let (mixed, constant): (UInt32, UInt32)
            switch index {
            case 0..<20: (mixed, constant) = (second & third | ~second & fourth, 0x5A82_7999)
            case 20..<40: (mixed, constant) = (second ^ third ^ fourth, 0x6ED9_EBA1)
            case 40..<60: (mixed, constant) = (second & third | second & fourth | third & fourth, 0x8F1B_BCDC)
            default: (mixed, constant) = (second ^ third ^ fourth, 0xCA62_C1D6)
            }
            let next = rotate(first, 5) &+ mixed &+ fifth &+ constant &+ words[index]
            (first, second, third, fourth, fifth) = (next, first, rotate(second, 30), third, fourth)
        }
        for (index, word) in [first, second, third, fourth, fifth].enumerated() { state[index] &+= word }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}
