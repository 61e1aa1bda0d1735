// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The words that conditions of packet fields can use as operands; a field with the same name hides the word.
enum PacketWord: String, CaseIterable {
    case sender
    case nested

    var operand: WireCondition.Operand {
        switch self {
        case .sender: .sender
        case .nested: .nested
        }
    }

    /// Its meaning, in one line.
    var summary: String {
        switch self {
        case .sender: "Who sends the packet: `client` or `server`."
        case .nested: "Whether the packet stands inside another one."
        }
    }

    var values: [String] {
        switch self {
        case .sender: Sender.allCases.map(\.rawValue)
        case .nested: ["true", "false"]
        }
    }
}
