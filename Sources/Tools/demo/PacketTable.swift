// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The bytes of a scene message: a line for each field, with its offset, bytes, name and value.
struct PacketTable {
    private var rows: [(offset: Int, digits: String, name: String, value: String)] = []

    /// - Parameter packet: The message's packet: a length in 4 bytes, an ID in 2, and the fields without gaps.
    init(of packet: [UInt8], with message: some PacketMessage) {
        var rest = packet[...]
        func take(_ byteCount: Int) -> String {
            defer { rest = rest.dropFirst(byteCount) }
            return Hexadecimal.text(of: Array(rest.prefix(byteCount)))
        }
        rows.append((rest.startIndex, take(4), "length", "\(packet.count)"))
        rows.append((rest.startIndex, take(2), "id", "\(type(of: message).messageID)"))
        for (name, value) in Mirror(reflecting: message).children {
            let offset = rest.startIndex
            switch value {
            case let number as any FixedWidthInteger:
                rows.append((offset, take(number.bitWidth / 8), name ?? "", "\(number)"))
            case let text as String:
                rows.append((offset, take(2) + " " + take(text.utf8.count), name ?? "", "\"\(text)\""))
            default: break  // bytes after the last field, of which a message that was made here has none
            }
        }
    }

    /// The rows as aligned columns.
    var lines: [String] {
        let widths = (
            offset: rows.map { "\($0.offset)".count }.max() ?? 0, digits: rows.map(\.digits.count).max() ?? 0,
            name: rows.map(\.name.count).max() ?? 0
        )
        return rows.map { row in
            let offset = String(repeating: " ", count: widths.offset - "\(row.offset)".count) + "\(row.offset)"
            return "\(offset)  \(padded(row.digits, widths.digits))  \(padded(row.name, widths.name))  \(row.value)"
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}
