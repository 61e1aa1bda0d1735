// SPDX-License-Identifier: Apache-2.0

import Goim
import TestingSupport
public import Wireline
import WirelineTransport

/// A client that ends after each byte of its output in turn, with a server that answers everything.
public struct CutClient: Sendable {
    /// What a handler has received from a connection.
    private struct Handled: Sendable {
        var packets: [[UInt8]] = []
        var error: ConnectionError?
    }

    /// The client's complete output.
    private let bytes: [UInt8]
    private let handled = Seen<Handled>()
    private let begun = Seen<Void>()
    private let ended = Seen<Bool>()
    public let connections = LiveObjects<PacketConnection>()

    public init(sending bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Returns: What went wrong, and how many clients there were.
    public func goEverywhere(_ endings: [Relay.Ending]) async throws -> (complaints: [String], clientCount: Int) {
        var configuration = ServerConfiguration.patient
        configuration.listening.connectionEnded = { [ended] _, failure in ended.add(failure == nil) }
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: GoimProtocol.self, configuration: configuration, handler: handle)
        var complaints: [String] = []
        var count = 0
        for ending in endings {
            for offset in 0...bytes.count {
                count += 1
                let found = try await go(behind: offset, ending, from: server.address.port, number: count)
                complaints += found.map { "\(ending) after \(offset) of \(bytes.count): \($0)" }
            }
        }
        if !server.connections.isEmpty { complaints.append("\(server.connections.count) connections are left") }
        await server.shutDown()
        return (complaints, count)
    }

    @concurrent
    private func handle(_ client: ServerConnection<GoimProtocol>) async throws {
        connections.add(client.connection)
        begun.add(())
        var seen = Handled()
        do throws(ConnectionError) {
            while let packet = try await client.nextPacket() {
                seen.packets.append([UInt8](copying: packet.bytes))
                // A client that has ended takes no answer. Its other packets must be handled all the same.
                try? await client.forward(packet)
            }
        } catch {
            seen.error = error
        }
        handled.add(seen)
        if let error = seen.error { throw error }
    }

    private func go(
        behind offset: Int, _ ending: Relay.Ending, from port: UInt16, number: Int
    ) async throws -> [String] {
        do {
            let client = try RawSocket.connect(to: port)
            // A connection that is reset before it is accepted does not count.
            _ = await begun.first(number)
            try client.send(bytes[..<offset])
            switch ending {
            case .end:
                client.endOutput()
                client.drain()
            case .reset: client.resetWhenClosed()
            case .kill: preconditionFailure("this process has more to do")
            }
        }
        let seen = await handled.first(number)[number - 1]
        let whole = try wholePackets(in: Array(bytes[..<offset]), GoimProtocol.layout)
        var complaints: [String] = []
        if seen.packets != whole { complaints.append("\(whole.count) were whole, handled \(seen.packets)") }
        let isInside = whole.joined().count < offset
        switch (ending, seen.error) {
        case (.end, nil) where !isInside, (.reset, .transport(.reset)): break
        case (.end, .codec(let error)) where isInside:
            if case .endOfStream = error.reason { break }
            complaints.append("\(error)")
        case (_, let error): complaints.append("ended with \(error.map(String.init(describing:)) ?? "no error")")
        }
        let isClean = await ended.first(number)[number - 1]
        if isClean != (seen.error == nil) { complaints.append("told that it was \(isClean ? "" : "not ")clean") }
        return complaints
    }
}
