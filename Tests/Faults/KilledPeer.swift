// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import TestingSupport
import Wireline

/// A peer that is killed behind some bytes of what it sends (SIGKILL), and another that is started at its port.
enum KilledPeer {
    static func look(_ findings: Findings) async throws {
        let remembering = RememberingServer()
        let server = try await remembering.start()
        let recorder = try Relay(to: server.address.port)
        let recorded = GoimCutSession(with: remembering, by: recorder.port)
        let (_, _, recording) = try await recorded.cutEverywhere(by: recorder, [])
        recorder.stop()

        let all = recording.fromServer.count
        let offsets = [0, 1, 4, 17, 18, 19, all / 2, all - 1, all]
        let listeners = Listeners(server: server.address.port)
        let session = GoimCutSession(with: remembering, by: try await listeners.choosePort())
        let complaints = try await session.complaints(behind: offsets, of: recording) { offset in
            try await listeners.killNext(behind: offset)
        }
        findings.check(complaints, "killed behind \(offsets.count) of \(all) bytes: the sessions came back")
        try await listeners.end()
        let isQuiet = try await eventually { session.connections.count == 0 && server.connections.isEmpty }
        findings.check(isQuiet, "nothing is left of connections to peers that were killed")
        await server.shutDown()
    }
}

/// Who listens at a port, one after another.
private actor Listeners {
    private let server: UInt16
    private var port: UInt16 = 0
    private var current: Child?
    private var replacement: Task<Void, any Error>?

    init(server: UInt16) {
        self.server = server
    }

    func choosePort() throws -> UInt16 {
        let child = try Child("--relay", "\(server)", "0")
        (current, port) = (child, child.port)
        return port
    }

    /// Has one listen that is killed behind so many bytes, and then one that is not.
    func killNext(behind offset: Int) async throws {
        try await end()
        let killed = try Child("--relay", "\(server)", "\(port):\(offset)")
        replacement = Task {
            await killed.waitUntilExit()
            current = try Child("--relay", "\(server)", "\(port)")
        }
    }

    func end() async throws {
        try await replacement?.value
        current?.send(SIGKILL)
        await current?.waitUntilExit()
        current = nil
    }
}
