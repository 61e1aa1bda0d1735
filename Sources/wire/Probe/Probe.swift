// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Finds out what a peer speaks: by what it says on its own, what it answers, and what it waits for.
///
/// A framing is believed when the peer says nothing as long as one byte of a packet is missing, answers when it comes, and
/// its answer ends where the framing says: twice, with packets of different sizes.
struct Probe {
    enum Verdict: Equatable {
        /// Something else than packets.
        case other(String)
        case packets(Framing, name: String)
        /// It answers single bytes.
        case unframed
        /// It takes connections, and nothing it was sent got an answer from which more could be told.
        case unknown(Reason)
    }

    enum Reason: Equatable {
        case silent
        /// What came shows no framing.
        case unclear([UInt8])
    }

    private static let lines = "lines of text"

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
        var guess = FramingGuess()
        var seen: [UInt8] = []
        for _ in 0..<3 {
            let heard = try await exchange([]).first?.bytes ?? []
            if seen.isEmpty { seen = heard }
            if let name = Greeting.name(of: heard) { return .other(name) }
            guess.add(heard)
            if let framing = guess.framing { return .packets(framing, name: "") }
            if Greeting.isText(heard) { return .other(Self.lines) }
            if heard.isEmpty { break }
        }
        if let packet {
            let answer = try await exchange([packet]).last?.bytes ?? []
            if let name = Greeting.name(of: answer) { return .other(name) }
            if !answer.isEmpty { seen = answer }
            let fitting = FramingGuess.all.filter { $0.fits(packet) && $0.fits(answer) }
            if let framing = FramingGuess.likeliest(of: fitting), try await waits(for: packet, framing, !seen.isEmpty) {
                return .packets(framing, name: "")
            }
        }
        let speaksFirst = !seen.isEmpty
        for greeting in Greeting.all {
            let answer = try await exchange([greeting.bytes], speaksFirst: speaksFirst).last?.bytes ?? []
            // An echo is no answer.
            guard !greeting.bytes.starts(with: answer) else { continue }
            seen = answer
            if let name = Greeting.name(of: answer) { return .other(name) }
        }
        if Greeting.isText(seen) { return .other(Self.lines) }
        let pieces = [[UInt8(ascii: "A")], [UInt8(ascii: "\n")]]
        let answers = try await exchange(pieces, speaksFirst: speaksFirst).suffix(2).map { !$0.bytes.isEmpty }
        if answers.first == true { return .unframed }
        if answers.last == true { return .other(Self.lines) }
        for (index, stimulus) in Stimulus.all.enumerated() {
            progress(Double(index) / Double(Stimulus.all.count))
            let answer = try await exchange([stimulus.packets[0]], speaksFirst: speaksFirst).last?.bytes ?? []
            if answer.isEmpty { continue }
            seen = answer
            guard stimulus.framing.fits(answer) else { continue }
            if try await waits(for: stimulus.packets[1], stimulus.framing, speaksFirst) {
                return .packets(stimulus.framing, name: stimulus.name)
            }
        }
        return .unknown(seen.isEmpty ? .silent : .unclear(seen))
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
