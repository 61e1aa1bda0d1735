// SPDX-License-Identifier: Apache-2.0

/// MD5 (RFC 1321), the proof of the cookie between nodes. Do not use it for anything new: it is not secure.
enum MD5 {
    /// How many bits each of the four rounds rotates.
    private static let rotations: [[UInt32]] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]]

    /// RFC 1321 §3.4: the whole part of 2^32 times the sine of each number from 1 to 64, without its sign.
    private static let constants: [UInt32] = [
        0xD76A_A478, 0xE8C7_B756, 0x2420_70DB, 0xC1BD_CEEE, 0xF57C_0FAF, 0x4787_C62A, 0xA830_4613, 0xFD46_9501,
        0x6980_98D8, 0x8B44_F7AF, 0xFFFF_5BB1, 0x895C_D7BE, 0x6B90_1122, 0xFD98_7193, 0xA679_438E, 0x49B4_0821,
        0xF61E_2562, 0xC040_B340, 0x265E_5A51, 0xE9B6_C7AA, 0xD62F_105D, 0x0244_1453, 0xD8A1_E681, 0xE7D3_FBC8,
        0x21E1_CDE6, 0xC337_07D6, 0xF4D5_0D87, 0x455A_14ED, 0xA9E3_E905, 0xFCEF_A3F8, 0x676F_02D9, 0x8D2A_4C8A,
        0xFFFA_3942, 0x8771_F681, 0x6D9D_6122, 0xFDE5_380C, 0xA4BE_EA44, 0x4BDE_CFA9, 0xF6BB_4B60, 0xBEBF_BC70,
        0x289B_7EC6, 0xEAA1_27FA, 0xD4EF_3085, 0x0488_1D05, 0xD9D4_D039, 0xE6DB_99E5, 0x1FA2_7CF8, 0xC4AC_5665,
        0xF429_2244, 0x432A_FF97, 0xAB94_23A7, 0xFC93_A039, 0x655B_59C3, 0x8F0C_CC92, 0xFFEF_F47D, 0x8584_5DD1,
        0x6FA8_7E4F, 0xFE2C_E6E0, 0xA301_4314, 0x4E08_11A1, 0xF753_7E82, 0xBD3A_F235, 0x2AD7_D2BB, 0xEB86_D391,
    ]

    static func hash(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        padded.append(contentsOf: repeatElement(0, count: (119 - message.count % 64) % 64))
        let bitCount = UInt64(message.count) * 8
        for shift in stride(from: 0, to: 64, by: 8) { padded.append(UInt8(truncatingIfNeeded: bitCount >> shift)) }

        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for start in stride(from: 0, to: padded.count, by: 64) { add(padded[start..<start + 64], to: &state) }
        return state.flatMap { word in stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        let words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            block[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        var (first, second, third, fourth) = (state[0], state[1], state[2], state[3])
        for index in 0..<64 {
            let (mixed, place): (UInt32, Int)
            switch index / 16 {
            case 0: (mixed, place) = (second & third | ~second & fourth, index)
            case 1: (mixed, place) = (second & fourth | third & ~fourth, (5 * index + 1) % 16)
            case 2: (mixed, place) = (second ^ third ^ fourth, (3 * index + 5) % 16)
            default: (mixed, place) = (third ^ (second | ~fourth), 7 * index % 16)
            }
            let sum = first &+ mixed &+ constants[index] &+ words[place]
            let rotation = rotations[index / 16][index % 4]
            let rotated = second &+ (sum << rotation | sum >> (32 - rotation))
            (first, second, third, fourth) = (fourth, rotated, second, third)
        }
        for (index, word) in [first, second, third, fourth].enumerated() { state[index] &+= word }
    }
}
