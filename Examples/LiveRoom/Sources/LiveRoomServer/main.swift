// A live room: clients in a terminal connect over TCP, browsers over a WebSocket.
//
//     LiveRoomServer [HOST [PACKET-PORT [PAGE-PORT [PAGE-FOLDER]]]]

import Foundation
import LiveRoom
import Wireline

let arguments = CommandLine.arguments
let host = arguments.count > 1 ? arguments[1] : "127.0.0.1"
let packetPort = arguments.count > 2 ? UInt16(arguments[2]) ?? 0 : 9001
let pagePort = arguments.count > 3 ? UInt16(arguments[3]) ?? 0 : 9002
let pages = try arguments.count > 4 ? Page.files(in: arguments[4]) : [:]
DescriptorLimit.raise()

let handlers = try Service().handlers()

var configuration = ServerConfiguration()
configuration.listening.idleTimeout = .seconds(90)  // clients send a Ping every 30 s
configuration.listening.connectionEnded = { address, error in
    if let error { FileHandle.standardError.write(Data("\(address): \(error)\n".utf8)) }
}
var pageConfiguration = configuration
pageConfiguration.webSocket = ServerConfiguration.WebSocketOptions(paths: ["/room"])
pageConfiguration.webSocket?.handshake.pages = pages

let server = try await PacketServer.start(
    at: host, port: packetPort, configuration: configuration, handlers: handlers
) { _ in Visitor() }
let pageServer = try await PacketServer.start(
    at: host, port: pagePort, configuration: pageConfiguration, handlers: handlers
) { _ in Visitor() }
say("packets: \(server.address)")
say("WebSocket: ws://\(pageServer.address)/room")
if !pages.isEmpty { say("page: http://\(pageServer.address)/") }

_ = try await ShutdownSignal.wait()
// Clients that are told at the same moment reconnect at the same moment: spread the goodbyes.
let goodbye = Goodbye(reason: .serverRestarts)
async let packetsDone: Void = server.shutDown(over: .seconds(1), telling: goodbye)
async let pagesDone: Void = pageServer.shutDown(over: .seconds(1), telling: goodbye)
_ = try await (packetsDone, pagesDone)
say("\(await server.counters().acceptedConnectionCount) connections served")

func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
