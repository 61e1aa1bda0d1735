// SPDX-License-Identifier: Apache-2.0

import Scene
import WirelineCodec
import WirelineDemo

/// `swift run demo`: what `wire demo` shows, without the schema language, so that it builds in a third of the time.
@main
struct DemoProgram {
    static func main() async throws {
        try show(Demo.requests[0], from: .client)
        try show(Demo.replies[0], from: .server)
        let connection = try await DemoConnection()
        print("Over TCP to \(connection.address), glued and torn, and put together again:\n")
        let requests = try await Demo.tear(Demo.requests, from: .client, over: connection)
        let replies = try await Demo.tear(Demo.replies, from: .server, over: connection)
        for line in requests + replies { print("    " + line) }
        await connection.close()
    }

    private static func show(_ message: some PacketMessage, from sender: Sender) throws {
        let packet = try message.encoded()
        print(Demo.title(of: packet, with: message, from: sender))
        print("\n    Swift  \(message)\n")
        for line in PacketTable(of: packet, with: message).lines { print("    " + line) }
        print("")
    }
}
