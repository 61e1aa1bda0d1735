import Foundation
import LiveRoom
import Wireline

/// What the user sees, a line for each message.
enum Screen {
    static func show(_ message: any PacketMessage) {
        switch message {
        case let entered as RoomEntered:
            say("room \(entered.room): \(entered.users.map(\.name).joined(separator: ", "))")
        case let said as Said: say("\(said.user.name): \(said.text)")
        case let sent as GiftSent: say("\(sent.user.name) sends \(name(of: sent.gift)) × \(sent.count)")
        case let entered as UserEntered: say("\(entered.user.name) enters")
        case let left as UserLeft: say("\(left.user.name) leaves")
        default: break
        }
    }

    static func say(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }

    private static func name(of gift: Gift) -> String { gift == .rocket ? "rocket" : "rose" }
}
