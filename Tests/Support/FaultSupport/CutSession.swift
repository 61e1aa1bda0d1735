// SPDX-License-Identifier: Apache-2.0

import Goim
public import Scene
public import Wireline
import WirelineTransport

/// A session whose first connection is cut after a byte of the server or of the client. Its later ones are not cut.
public protocol CutSession: Sendable {
    /// How packets are laid out.
    var layout: PacketLayout { get }
    /// Runs one session, and returns its result.
    func run(_ name: String) async throws -> CutSessionResult
    /// Checks what a cut must not change.
    func complaints(about result: CutSessionResult, of name: String, _ recordings: [Relay.Recording]) throws -> [String]
}

/// The results of a session's messages.
public struct CutSessionResult: Sendable {
    /// The outcome of each message that must arrive.
    var outcomes: [MessageOutcome] = []
    /// The packets that the iterating task received.
    var heard: [[UInt8]] = []
}

extension CutSession {
    /// Runs one session without a cut, and then one session for a cut after each byte of the senders.
    ///
    /// - Parameter name: A name that no other sessions with the same server have.
    /// - Returns: What went wrong, how many sessions were cut, and the recording of the session without a cut.
    public func cutEverywhere(
        by relay: Relay, _ endings: [Relay.Ending], of senders: [Relay.Sender] = Relay.Sender.allCases,
        name: String = "session"
    ) async throws -> (complaints: [String], sessionCount: Int, recording: Relay.Recording) {
        relay.begin(cut: nil)
        _ = try await run(sessionName(name, 0))
        let recording = relay.recordings[0]
        let cuts = endings.flatMap { ending in
            senders.flatMap { sender in
                (0...recording[sender].count).map { Relay.Cut(behind: $0, of: sender, ending) }
            }
        }
        var complaints: [String] = []
        for (number, cut) in cuts.enumerated() {
            let ownName = sessionName(name, number + 1)
            relay.begin(cut: cut)
            let result = try await run(ownName)
            let recordings = relay.recordings
            var found = try self.complaints(about: result, of: ownName, recordings)
            // The bytes before the cut must equal those of the recorded session, except for its name.
            let fromClient = recording.fromClient.replacing(sessionName(name, 0).utf8, with: ownName.utf8)
            if !recording.fromServer.starts(with: recordings[0].fromServer)
                || !fromClient.starts(with: recordings[0].fromClient)
            {
                found.append("another session")
            }
            if recordings[0][cut.sender].count != cut.byteCount { found.append("was not cut") }
            // A cut after the client's last byte also loses the answer to it.
            let isWhole = cut.sender == .server && cut.byteCount == recording.fromServer.count
            if !isWhole, recordings.count < 2 { found.append("did not come back") }
            complaints += found.map { "\(ownName), \(cut) \(recording[cut.sender].count): \($0)" }
        }
        return (complaints, cuts.count, recording)
    }
}

/// The name of a session. All names of a kind have the same length, and so the clients' output has the same length.
private func sessionName(_ kind: String, _ number: Int) -> String {
    let digits = String(number)
    return kind + " " + String(repeating: "0", count: 6 - digits.count) + digits
}

/// A session with goim's messages: a login, and messages that arrive exactly once.
public struct GoimCutSession: CutSession {
    private let server: RememberingServer
    private let port: UInt16
    /// The connections so far.
    public let connections = LiveObjects<PacketConnection>()

    /// - Parameters:
    ///   - server: Receives the messages in the end.
    ///   - port: The port that the session connects to.
    public init(with server: RememberingServer, by port: UInt16) {
        (self.server, self.port) = (server, port)
    }

    public var layout: PacketLayout { GoimProtocol.layout }

    public func run(_ name: String) async throws -> CutSessionResult {
        let session = try PacketSession.start(
            to: [ServerEndpoint("127.0.0.1", port: port)], protocol: GoimProtocol.self, configuration: .eager
        ) { login in
            connections.add(login.client.connection)
            _ = try await login.client.request(Authentication(body: name))
        }
        var sent: [SentMessage] = []
        for room in ["1", "2", "3"] {
            sent.append(
                try await session.send(
                    ChangeRoom(room: room), delivery: .exactlyOnce,
                    confirmedBy: .reply(id: ChangeRoomReply.messageID)))
        }
        return try await session.result(of: sent)
    }

    public func complaints(
        about result: CutSessionResult, of name: String, _ recordings: [Relay.Recording]
    ) throws -> [String] {
        var complaints = complaints(about: result, of: name)
        let wanted = try recordings.flatMap { try audible(in: $0.fromServer) }
        if result.heard != wanted { complaints.append("\(wanted.count) packets were whole, heard \(result.heard)") }
        return complaints
    }
}

extension GoimCutSession {
    /// Checks what must be true however often the session was cut.
    func complaints(about result: CutSessionResult, of name: String) -> [String] {
        var complaints: [String] = []
        if result.outcomes != [.confirmed, .confirmed, .confirmed] { complaints.append("\(result.outcomes)") }
        let rooms = server.rooms(of: name)
        if rooms != ["1", "2", "3"] { complaints.append("the server has taken \(rooms)") }
        // The last byte of a notification names the room; a notification may be lost.
        let told = result.heard.filter { UInt64($0[11]) == Notification.messageID }.compactMap(\.last)
        if !zip(told, told.dropFirst()).allSatisfy(<) { complaints.append("was told of rooms \(told)") }
        return complaints
    }

    /// The server's whole packets that reach the iterating task: all but the login's replies.
    func audible(in bytes: some Sequence<UInt8>) throws -> [[UInt8]] {
        // The last byte of the operation is the message's ID.
        try wholePackets(in: Array(bytes), layout).filter { UInt64($0[11]) != AuthenticationReply.messageID }
    }

    /// Runs sessions whose connection ends because the relay's process is killed.
    ///
    /// - Parameters:
    ///   - cuts: The places. No two cuts of a recording may be the same.
    ///   - recording: A session without a cut.
    ///   - prepare: Makes the next connection end at the cut, and later ones continue.
    public func complaints(
        behind cuts: [Relay.Cut], of recording: Relay.Recording, prepare: (Relay.Cut) async throws -> Void
    ) async throws -> [String] {
        var complaints: [String] = []
        for cut in cuts {
            let name = sessionName("\(cut.sender)", cut.byteCount)
            try await prepare(cut)
            let result = try await run(name)
            var found = self.complaints(about: result, of: name)
            // If the client's bytes are counted, it is unknown how much of the server's was passed on before the cut.
            let heardCount = cut.sender == .server ? cut.byteCount : 0
            let whole = try audible(in: recording.fromServer[..<heardCount])
            if !result.heard.starts(with: whole) {
                found.append("\(whole.count) packets were whole, heard \(result.heard)")
            }
            complaints += found.map { "\(cut) \(recording[cut.sender].count): \($0)" }
        }
        return complaints
    }
}

/// A session with the seed's messages: no login, no sequence numbers, and messages that arrive at least once.
public struct SceneCutSession: CutSession {
    private let port: UInt16
    private let requests = (1...3).map { Cs_20001(sceneID: $0, line: 2, message: "进") }

    public init(by port: UInt16) {
        self.port = port
    }

    public static func startServer() async throws -> PacketServer<SceneProtocol> {
        try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self,
            configuration: .patient
        ) { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(
                    Sc_20001(
                        res: 1, sceneID: UInt32(enter.sceneID), pos: 0, status: 0, type: 0, defaultCombat: enter.line,
                        message: enter.message))
            }
        }
    }

    public var layout: PacketLayout { SceneProtocol.layout }

    public func run(_ name: String) async throws -> CutSessionResult {
        let session = try PacketSession.start(
            to: [ServerEndpoint("127.0.0.1", port: port)], protocol: SceneProtocol.self, configuration: .eager)
        var sent: [SentMessage] = []
        for request in requests {
            sent.append(
                try await session.send(
                    request, delivery: .atLeastOnce, confirmedBy: .reply(id: Sc_20001.messageID)))
        }
        return try await session.result(of: sent)
    }

    public func complaints(
        about result: CutSessionResult, of name: String, _ recordings: [Relay.Recording]
    ) throws -> [String] {
        var complaints: [String] = []
        if result.outcomes != [.confirmed, .confirmed, .confirmed] { complaints.append("\(result.outcomes)") }
        let passed = try recordings.map { try wholePackets(in: $0.fromServer, layout) }
        if result.heard != passed.flatMap({ $0 }) {
            complaints.append("\(passed.map(\.count)) packets were whole, heard \(result.heard)")
        }
        if recordings.count > 1, passed[0].count < requests.count {
            let again = try requests.dropFirst(passed[0].count).flatMap { try $0.encoded() }
            if recordings[1].fromClient != again { complaints.append("sent again: \(recordings[1].fromClient)") }
        }
        return complaints
    }
}

extension PacketSession {
    /// Waits for the outcome of messages, ends, and collects what has arrived by then.
    fileprivate func result(of sent: [SentMessage]) async throws -> CutSessionResult {
        var result = CutSessionResult()
        for message in sent { result.outcomes.append(try await message.outcome()) }
        end()
        for try await received in messages { result.heard.append([UInt8](copying: received.packet.bytes)) }
        return result
    }
}
