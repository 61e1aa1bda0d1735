// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec

enum MessageText {
    /// Two messages are shown one below the other if their lines have at most this number of characters.
    private static let width = 100

    /// Returns the name and the JSON on one line: `Sc_100 {"result":1,"players":[]}`.
    static func line(_ message: any PacketMessage) -> String {
        "\(type(of: message).messageName) \(JSONTree(fieldsOf: message).line)"
    }

    /// Returns the message on one line if one of the types has the packet's ID; otherwise its ID and payload.
    static func line(_ packet: ReceivedPacket, of types: [any PacketMessage.Type]) -> String {
        let bytes = Hexadecimal.text(of: [UInt8](copying: packet.payload))
        guard let type = types.first(where: { $0.messageID == packet.id }) else {
            return "a message with the unknown ID \(packet.id) and the payload \(bytes)"
        }
        do throws(CodecError) {
            return line(try packet.decode(type) as any PacketMessage)
        } catch {
            return "\(type.messageName) with the payload \(bytes), which does not match the schema: \(error)"
        }
    }

    /// Returns the lines that show how two messages of one type differ.
    static func difference(expected: any PacketMessage, received: any PacketMessage) -> [String] {
        let (left, right) = (JSONTree(fieldsOf: expected), JSONTree(fieldsOf: received))
        if left.line.count <= width, right.line.count <= width {
            return ["- expected \(left.line)", "+ received \(right.line)"]
        }
        return ["- expected, + received"] + JSONDifference(expected: left, received: right).lines
    }
}
