// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension VarintFormat {
    var swiftType: String {
        switch encoding {
        case .unsigned: "Swift::UInt64"
        case .zigzag, .signed64: "Swift::Int64"
        case .signed32: "Swift::Int32"
        }
    }

    /// The call that reads a value. It can fail, and has no `try`.
    var swiftReading: String {
        let method =
            switch encoding {
            case .unsigned: "readVarint"
            case .zigzag: "readZigzag"
            case .signed32: "readVarint32"
            case .signed64: "readVarint64"
            }
        return "reader.\(method)(maximumByteCount: \(maximumByteCount)\(forms == .any ? ", .any" : ""))"
    }

    var swiftWriting: String {
        switch encoding {
        case .unsigned: "writeVarint"
        case .zigzag: "writeZigzag"
        case .signed32: "writeVarint32"
        case .signed64: "writeVarint64"
        }
    }

    /// The property with the number of bytes of a value.
    var swiftByteCount: String { encoding == .zigzag ? "zigzagByteCount" : "varintByteCount" }

    /// Returns the check that refuses values with more bytes than the format allows.
    func swiftCheck(_ access: String) -> String {
        guard encoding != .unsigned else { return "varint(\(access), maximumByteCount: \(maximumByteCount))" }
        return "range(\(access), \(range.lowerBound), \(range.upperBound))"
    }

    var swiftText: String {
        guard encoding != .unsigned || forms != .shortest else {
            return "varint(maximumByteCount: \(maximumByteCount))"
        }
        let argument = forms == .any ? ", .any" : ""
        return "varint(.init(.\(encoding), maximumByteCount: \(maximumByteCount)\(argument)))"
    }
}
