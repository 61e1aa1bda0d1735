// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import TestingSupport
import Wireline

/// A peer that is killed (SIGKILL) after each byte of its output, and after each byte of its input. Another one is
/// started at its port.
enum KilledPeer {
    /// How many run at a time: most of the time is spent on starting processes.
    private static let laneCount = 4

    static func look(_ findings: Findings) async throws {
        let remembering = RememberingServer()
        let server = try await remembering.start()
        let recorder = try Relay(to: server.address.port)
        let recorded = GoimCutSession(with: remembering, by: recorder.port)
        // The sessions whose peers are killed have names of the same length.
        let (_, _, recording) = try await recorded.cutEverywhere(by: recorder, [], name: "server")
        recorder.stop()

        let cuts = Relay.Sender.allCases.flatMap { sender in
            (0...recording[sender].count).map { Relay.Cut(behind: $0, of: sender, .kill) }
        }
        let complaints = try await withThrowingTaskGroup { group in
            for number in 0..<laneCount {
                group.addTask {
                    let lane = try await Lane(to: server.address.port, with: remembering)
                    let places = stride(from: number, to: cuts.count, by: laneCount)
                    return try await lane.kill(behind: places.map { cuts[$0] }, of: recording)
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        findings.check(
            complaints,
            "killed after each of \(recording.fromServer.count) bytes of the server's and of "
                + "\(recording.fromClient.count) of the client's, and in front: the sessions came back")
        let isQuiet = try await eventually { server.connections.isEmpty }
        findings.check(isQuiet, "nothing is left of connections to peers that were killed")
        await server.shutDown()
    }
}

/// Sessions, one after another, whose peers are killed.
private struct Lane {
    let listeners: Listeners
    let session: GoimCutSession

    init(to server: UInt16, with remembering: RememberingServer) async throws {
        listeners = Listeners(server: server)
        session = GoimCutSession(with: remembering, by: try await listeners.choosePort())
    }

    /// - Returns: What went wrong.
    func kill(behind cuts: [Relay.Cut], of recording: Relay.Recording) async throws -> [String] {
        var complaints = try await session.complaints(behind: cuts, of: recording) { cut in
            try await listeners.killNext(behind: cut)
        }
        try await listeners.end()
        complaints += await listeners.complaints
        if let complaint = try await session.connections.complaint("connections") { complaints.append(complaint) }
        return complaints
    }
}

/// The processes that listen at a port, one after another.
private actor Listeners {
    private let server: UInt16
    private var port: UInt16 = 0
    private var current: Child?
    private var replacement: Task<Void, any Error>?
    /// The peers that ended without being killed.
    private(set) var complaints: [String] = []

    init(server: UInt16) {
        self.server = server
    }

    func choosePort() async throws -> UInt16 {
        let child = try await start(at: "0")
        (current, port) = (child, child.port)
        return port
    }

    /// Starts a relay that is killed after so many bytes, and then one that is not.
    func killNext(behind cut: Relay.Cut) async throws {
        try await end()
        let killed = try await start(at: "\(port):\(cut.byteCount):\(cut.sender)")
        replacement = Task {
            await killed.waitUntilExit()
            if !killed.wasKilled { complaints.append("\(cut): the peer has ended, and was not killed") }
            current = try await start(at: "\(port)")
        }
    }

    func end() async throws {
        try await replacement?.value
        replacement = nil
        current?.send(SIGKILL)
        await current?.waitUntilExit()
        current = nil
    }

    private func start(at port: String) async throws -> Child {
        let server = server
        return try await onThread { try Child("--relay", "\(server)", port) }
    }
}
