import Foundation
import LiveRoom
import Wireline

/// What the user sees, a line for each message.
enum Screen {
    static func show(_ message: LiveRoomProtocol.FromServer) {
        switch message {
        case .roomEntered(let entered):
            say("room \(entered.room): \(entered.users.map(\.name).joined(separator: ", "))")
        case .said(let said): say("\(said.user.name): \(said.text)")
        case .giftSent(let sent): say("\(sent.user.name) sends \(sent.gift) × \(sent.count)")
        case .userEntered(let entered): say("\(entered.user.name) enters")
        case .userLeft(let left): say("\(left.user.name) leaves")
        case .welcome, .goodbye, .pong: break  // the login and the session handle them
        case .unknown: break  // a newer server
        }
    }

    static func say(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
}
