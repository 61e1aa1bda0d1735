// SPDX-License-Identifier: Apache-2.0

import TestingSupport

/// Bytes with one mistake in them.
enum Mutation {
    static func changed(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        guard bytes.count > 1 else { return bytes }
        let index = Int.random(in: 1..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.remove(at: index)
        case 3: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: index)
        default: bytes.removeLast(bytes.count - index)
        }
        return bytes
    }
}
