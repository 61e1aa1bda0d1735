// SPDX-License-Identifier: Apache-2.0

/// A number of bytes in a packet: a constant plus the widths of fields that vary or may be absent.
///
/// In every language it is an expression: `8`, or `w2 + w5 + 8`.
struct PacketOffset: Equatable, Sendable {
    var constant: Int
    /// The positions of the fields whose widths are added.
    var widths: [Int] = []

    static func + (left: PacketOffset, right: Int) -> PacketOffset {
        PacketOffset(constant: left.constant + right, widths: left.widths)
    }
    static func - (left: PacketOffset, right: Int) -> PacketOffset { left + -right }
    static func + (left: PacketOffset, right: PacketOffset) -> PacketOffset {
        PacketOffset(constant: left.constant + right.constant, widths: left.widths + right.widths)
    }

    /// - Parameter width: Returns the variable with the width of a field.
    func text(_ width: (Int) -> String) -> String {
        let names = widths.map(width)
        guard !names.isEmpty else { return String(constant) }
        let sum = names.joined(separator: " + ")
        return constant == 0 ? sum : "\(sum) \(constant < 0 ? "-" : "+") \(abs(constant))"
    }
}
