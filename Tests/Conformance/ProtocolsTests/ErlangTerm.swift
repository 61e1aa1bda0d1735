// SPDX-License-Identifier: Apache-2.0

/// An Erlang value, for the external term format.
indirect enum ErlangTerm {
    case atom(String)
    case integer(Int128)
    case float(Double)
    case binary([UInt8])
    case list([ErlangTerm])
    case tuple([ErlangTerm])
    case map([(ErlangTerm, ErlangTerm)])
    /// A term that has its bytes already, without the version byte.
    case encoded([UInt8])

    /// The bytes that `binary_to_term/1` reads (the user's guide of ERTS, chapter "External Term Format").
    var bytes: [UInt8] {
        var bytes: [UInt8] = [131]
        append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .encoded(let content): bytes += content
        case .atom(let name):
            bytes += [119, UInt8(name.utf8.count)] + name.utf8
        case .integer(let value):
            // SMALL_BIG_EXT holds every integer; those that fit a smaller form get it when they are read.
            let digits = (0..<16).map { UInt8(truncatingIfNeeded: value.magnitude >> UInt128(8 * $0)) }
            bytes += [110, 16, value < 0 ? 1 : 0] + digits
        case .float(let value):
            bytes.append(70)
            Self.append(value.bitPattern, byteCount: 8, to: &bytes)
        case .binary(let content):
            bytes.append(109)
            Self.append(UInt64(content.count), byteCount: 4, to: &bytes)
            bytes += content
        case .list(let items):
            if !items.isEmpty {
                bytes.append(108)
                Self.append(UInt64(items.count), byteCount: 4, to: &bytes)
                for item in items { item.append(to: &bytes) }
            }
            bytes.append(106)
        case .tuple(let items):
            bytes.append(105)
            Self.append(UInt64(items.count), byteCount: 4, to: &bytes)
            for item in items { item.append(to: &bytes) }
        case .map(let members):
            bytes.append(116)
            Self.append(UInt64(members.count), byteCount: 4, to: &bytes)
            for (key, value) in members {
                key.append(to: &bytes)
                value.append(to: &bytes)
            }
        }
    }

    private static func append(_ value: UInt64, byteCount: Int, to bytes: inout [UInt8]) {
        for place in (0..<byteCount).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place))) }
    }

    static func text(_ text: String) -> ErlangTerm { .binary(Array(text.utf8)) }
}
