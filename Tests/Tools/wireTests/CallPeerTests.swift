// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec

/// `wire call` with several messages on one connection, against peers in this process.
@Suite(.aside)
struct CallPeerTests {
    private static let reply = CallCommandTests.reply
    private static let replyLine = CallCommandTests.replyLine
    private static let two = ["Cs_20001", packetFields, "Cs_20001", packetFields]

    /// Runs `wire call` against a peer that handles the connection with `handler`.
    private func call(
        _ words: [String], input: Data = Data(),
        _ handler: @escaping @Sendable (PacketConnection) async throws -> Void
    ) async throws -> Outcome {
        let peer = try await peer(.standard, handler)
        let line = (["wire", "call", peer.address.description] + words.withPatience).map { "'\($0)'" }
        var outcome = try Workspace().shell(line.joined(separator: " "), input: input)
        await peer.shutDown(within: .seconds(60))
        outcome.errors.replace(peer.address.description, with: "PEER")
        return outcome
    }

    @Test func `without waiting for replies, all messages reach the peer`() async throws {
        let received = Seen<[UInt8]>()
        let outcome = try await call(Self.two + ["--no-reply"]) { connection in
            // Returns after the caller has ended its side.
            for packet in try await connection.rest() { received.add(packet) }
        }
        #expect(outcome == .success(""))
        #expect(await received.first(2) == [Array(packetBytes), Array(packetBytes)])
    }

    @Test func `a call without replies that listens prints what comes`() async throws {
        let outcome = try await call(Self.two + ["--no-reply", "--listen", "forever"]) { connection in
            _ = try await connection.next()
            _ = try await connection.next()
            await connection.sendRaw(Self.reply + Self.reply)
        }
        #expect(outcome == .success(Self.replyLine + Self.replyLine))
    }

    @Test func `a request without a reply is an error with its name, and the rest is not sent`() async throws {
        let received = Seen<[UInt8]>()
        // The timeout includes connecting and the first reply. On a busy machine, the next one is longer.
        for time in ["200ms", "5s", "60s"] {
            let words = ["Cs_20001", packetFields, "Cs_20003", "{}", "Cs_20001", packetFields, "--timeout", time]
            let schema = sceneSchema + "message Cs_20003 {}\nmessage Sc_20003 {}\n"
            let peer = try await peer(.standard) { connection in
                _ = try await connection.next()
                await connection.sendRaw(Self.reply)
                for packet in (try? await connection.rest()) ?? [] { received.add(packet) }
            }
            let line = (["wire", "call", peer.address.description] + words).map { "'\($0)'" }
            let outcome = try Workspace(["Protocols/Scene/Scene.wire": schema]).shell(line.joined(separator: " "))
            await peer.shutDown(within: .seconds(60))
            if outcome.output.isEmpty, time != "60s" { continue }
            #expect(outcome.status == 1 && outcome.output == Self.replyLine)
            #expect(outcome.errors == "error: no reply to Cs_20003 from \(peer.address) within \(time)\n")
            break
        }
        #expect(await received.first(1) == [[0, 0, 0, 6, 0x4E, 0x23]])
    }

    @Test func `a packet that cannot be read is an error, also while the call listens`() async throws {
        let outcome = try await call(["Cs_20001", packetFields, "--listen", "forever"]) { connection in
            _ = try await connection.next()
            await connection.sendRaw(Self.reply + [0, 0, 0, 8, 0x4E, 0x21, 1, 0])
            _ = try? await connection.next()
        }
        let errors = "error: a message of PEER: Sc_20001.SceneId: needs 4 bytes at offset 7, 1 is left\n"
        #expect(outcome == Outcome(status: 1, output: Self.replyLine, errors: errors))
    }

    @Test func `a reset connection is an error with the message that waited`() async throws {
        let outcome = try await call(Self.two) { connection in
            _ = try await connection.next()
            await connection.sendRaw(Self.reply)
            _ = try await connection.next()
            await connection.loop.run { connection.stream.reset() }
        }
        let errors = "error: no reply to Cs_20001: PEER: the peer has reset the connection\n"
        #expect(outcome == Outcome(status: 1, output: Self.replyLine, errors: errors))
    }

    @Test func `an unknown message is sent from its line, and unknown ones are printed`() async throws {
        let unknown: [UInt8] = [0, 0, 0, 8, 0, 9, 0xAB, 0xCD]
        let line = #"{"message":null,"id":9,"header":{"length":8,"id":9},"payload":"abcd"}"# + "\n"
        let outcome = try await call(["-", "--listen", "forever"], input: Data(line.utf8)) { connection in
            let packet = try await connection.next()
            await connection.sendRaw(packet.map { [UInt8](copying: $0.bytes) } == unknown ? unknown : [])
        }
        #expect(outcome == .success(line))
    }

    @Test func `output without a reader ends the call`() async throws {
        let peer = try await peer(.standard) { connection in
            _ = try await connection.next()
            // Until the caller has gone.
            while true { try await connection.send(packet: Self.reply) }
        }
        let line =
            "(wire call \(peer.address) Cs_20001 '\(packetFields)' --listen forever --timeout 20m; echo $? >&2) | head -n 2"
        let outcome = try Workspace().shell(line)
        await peer.shutDown(within: .seconds(60))
        #expect(outcome == Outcome(status: 0, output: Self.replyLine + Self.replyLine, errors: "0\n"))
    }
}
