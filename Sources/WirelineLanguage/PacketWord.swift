// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What conditions of the packet's fields can look at besides fields; a field with the same name wins.
enum PacketWord: String, CaseIterable {
    case sender
    case nested

    var operand: WireCondition.Operand {
        switch self {
        case .sender: .sender
        case .nested: .nested
        }
    }

    /// What it is, in one line.
    var summary: String {
        switch self {
        case .sender: "Who sends the packet: `client` or `server`."
        case .nested: "Whether the packet stands inside another one."
        }
    }

    /// The names of its values.
    var values: [String] {
        switch self {
        case .sender: Sender.allCases.map(\.rawValue)
        case .nested: ["true", "false"]
        }
    }
}
