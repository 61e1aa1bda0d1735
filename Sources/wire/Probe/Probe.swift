// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Finds out what a peer speaks: by what it says on its own, what it answers, and what it waits for.
///
/// A framing is believed when the peer says nothing as long as one byte of a packet is missing, answers when it comes, and
/// its answer ends where the framing says: twice, with packets of different sizes. An answer that says less is added to what
/// the peer has said before, of which ``FramingGuess`` says more.
struct Probe {
    enum Verdict: Equatable {
        /// Something else than packets.
        case other(String)
        case packets(Framing, name: String)
        /// It returns all bytes as they come.
        case unframed
        /// It takes connections, and nothing it was sent got an answer from which more could be told.
        case unknown(Reason)
    }

    enum Reason: Equatable {
        case silent
        /// What came shows no framing.
        case unclear([UInt8])
    }

    /// What a peer has said so far.
    private struct Heard {
        private(set) var last: [UInt8] = []
        private(set) var guess = FramingGuess()

        /// - Returns: What the peer speaks, where these bytes, with those before them, give it away.
        mutating func add(_ bytes: [UInt8]) -> Verdict? {
            guard !bytes.isEmpty else { return nil }
            last = bytes
            if let name = Greeting.name(of: bytes) { return .other(name) }
            guess.add(bytes)
            return guess.framing.map { .packets($0, name: "") }
        }
    }

    private static let lines = "lines of text"
    /// How often it is listened to what a peer says on its own.
    private static let greetingCount = 3
    /// A single byte, more bytes than a header has, and two ends of lines.
    private static let pieces = ["A", "BCDEFGHIJKLMNOPQRS", "\n", "TUVWXYZ", "\n"].map { Array($0.utf8) }

    let addresses: [SocketAddress]
    let loop: EventLoop
    /// After how long without bytes a peer is taken to have fallen silent.
    let silence: Duration
    let connectTimeout: Duration
    /// A packet of the user's that the peer answers, if there is one.
    let packet: [UInt8]?
    /// Is told how far the work has come, from 0 to 1.
    let progress: (Double) -> Void

    func run() async throws(TransportError) -> Verdict {
        var heard = Heard()
        for _ in 0..<Self.greetingCount {
            let greeting = try await exchange([]).first?.bytes ?? []
            if let verdict = heard.add(greeting) { return verdict }
            if Greeting.isText(greeting) { return .other(Self.lines) }
            if greeting.isEmpty { break }
        }
        let speaksFirst = !heard.last.isEmpty
        if let packet {
            if let verdict = try await answer(to: packet, speaksFirst, &heard) { return verdict }
        } else if heard.guess.bursts.count == Self.greetingCount, !heard.guess.isPossible {
            return .unknown(.unclear(heard.last))
        }
        for greeting in Greeting.all {
            let answer = try await exchange([greeting.bytes], speaksFirst: speaksFirst).last?.bytes ?? []
            // An echo is no answer.
            guard !greeting.bytes.starts(with: answer) else { continue }
            if let verdict = heard.add(answer) { return verdict }
        }
        if Greeting.isText(heard.last) { return .other(Self.lines) }
        if let verdict = try await answersToPieces(speaksFirst, &heard) { return verdict }
        if let verdict = try await answersToStimuli(speaksFirst, &heard) { return verdict }
        return .unknown(heard.last.isEmpty ? .silent : .unclear(heard.last))
    }

    /// What the answer to the user's packet says.
    private func answer(
        to packet: [UInt8], _ speaksFirst: Bool, _ heard: inout Heard
    ) async throws(TransportError) -> Verdict? {
        let answer = try await exchange([packet], speaksFirst: speaksFirst).last?.bytes ?? []
        let fitting = FramingGuess.all.filter { $0.fits(packet) && $0.fits(answer) }
        if let framing = FramingGuess.likeliest(of: fitting), try await waits(for: packet, framing, speaksFirst) {
            return .packets(framing, name: "")
        }
        return heard.add(answer)
    }

    /// What the answers to bytes say that are packets of no framing that is looked at.
    private func answersToPieces(
        _ speaksFirst: Bool, _ heard: inout Heard
    ) async throws(TransportError) -> Verdict? {
        let bursts = try await exchange(Self.pieces, speaksFirst: speaksFirst)
        let answers = bursts.suffix(Self.pieces.count).map(\.bytes)
        if answers == Self.pieces { return .unframed }
        let answered = answers.map { !$0.isEmpty }
        // An answer to the first line alone may be to the number of bytes, unless it is a line itself.
        let isLine = !answered[0] && !answered[1] && Greeting.isText(answers[2])
        if isLine || answered == [false, false, true, false, true] { return .other(Self.lines) }
        for (piece, answer) in zip(Self.pieces, answers) where answer != piece {
            if let verdict = heard.add(answer) { return verdict }
        }
        return nil
    }

    /// What the answers to packets of all framings say.
    private func answersToStimuli(
        _ speaksFirst: Bool, _ heard: inout Heard
    ) async throws(TransportError) -> Verdict? {
        for (index, stimulus) in Stimulus.all.enumerated() {
            progress(Double(index) / Double(Stimulus.all.count))
            let answer = try await exchange([stimulus.packets[0]], speaksFirst: speaksFirst).last?.bytes ?? []
            if stimulus.framing.fits(answer),
                try await waits(for: stimulus.packets[1], stimulus.framing, speaksFirst)
            {
                return .packets(stimulus.framing, name: stimulus.name)
            }
            // Of an echo, the framing is that of this side.
            guard !stimulus.packets[0].starts(with: answer) else { continue }
            if let verdict = heard.add(answer) { return verdict }
        }
        return nil
    }

    /// Whether the peer waits for a packet's last byte, and answers when it has come.
    private func waits(
        for packet: [UInt8], _ framing: Framing, _ speaksFirst: Bool
    ) async throws(TransportError) -> Bool {
        let bursts = try await exchange([Array(packet.dropLast()), Array(packet.suffix(1))], speaksFirst: speaksFirst)
        let answers = bursts.suffix(2)
        return answers.first?.bytes.isEmpty == true && framing.fits(answers.last?.bytes ?? [])
    }

    /// What comes on a connection: before anything is sent, if the peer speaks first, and behind each piece that is sent.
    private func exchange(
        _ pieces: [[UInt8]], speaksFirst: Bool = false
    ) async throws(TransportError) -> [ProbeConnection.Burst] {
        let connection = try await ProbeConnection.open(addresses, on: loop, timeout: connectTimeout)
        var bursts: [ProbeConnection.Burst] = []
        if speaksFirst || pieces.isEmpty { bursts.append(await connection.listen(silence)) }
        for piece in pieces {
            await connection.send(piece)
            bursts.append(await connection.listen(silence))
        }
        await connection.close()
        return bursts.map { $0.isWhole ? $0 : ProbeConnection.Burst() }
    }
}
