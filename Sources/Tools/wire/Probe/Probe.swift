// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// Finds out which protocol a peer uses, from its greeting, its answers, and what it waits for.
///
/// A framing is accepted if three things happen twice, with packets of different sizes. The peer stays silent while one
/// byte of a packet is missing. It answers when that byte arrives. The answer ends where the framing says.
///
/// Other answers are added to the bytes that ``FramingGuess`` examines. ``KnownPackets`` identifies packets by content,
/// because their lengths alone would also fit another framing. A ``Signature`` identifies a protocol whose servers
/// answer only its own requests.
struct Probe {
    enum Verdict: Equatable {
        /// A protocol without length-prefixed packets.
        case other(String)
        case packets(Framing, name: String)
        /// The peer returns all bytes unchanged.
        case unframed
        /// The peer accepts connections, but its answers do not identify its protocol.
        case unknown(Reason)
    }

    enum Reason: Equatable {
        case silent
        /// No framing fits the received bytes well enough.
        case unclear([UInt8])
        /// The peer sends without a pause, so the ends of packets are not visible.
        case restless([UInt8])
        /// The time limit has passed. The value is the last bytes.
        case late([UInt8])
    }

    private typealias Burst = ProbeConnection.Burst

    /// All bytes that the peer has sent so far.
    private struct Findings {
        private(set) var last: [UInt8] = []
        private(set) var guess = FramingGuess()

        /// - Parameter request: The bytes that were sent to the peer; empty if the peer sent first.
        /// - Returns: The peer's protocol, if all its bytes so far identify it.
        mutating func add(_ burst: ProbeConnection.Burst, to request: [UInt8] = []) -> Verdict? {
            guard !burst.bytes.isEmpty else { return nil }
            last = burst.bytes
            if let name = ProbeGreeting.name(of: burst.bytes) { return .other(name) }
            if let known = KnownPackets(of: burst.whole, to: request) {
                return .packets(known.framing, name: known.name)
            }
            guess.add(burst.whole)
            return guess.framing.map { .packets($0, name: "") }
        }
    }

    private static let lines = "lines of text"
    /// The number of connections on which the probe listens for a greeting.
    private static let greetingCount = 3
    /// The pieces are a single byte, more bytes than a header has, and two lines.
    private static let pieces = ["A", "BCDEFGHIJKLMNOPQRS", "\n", "TUVWXYZ", "\n"].map { Array($0.utf8) }

    let addresses: [SocketAddress]
    let loop: EventLoop
    /// The peer counts as silent after this time without bytes.
    let silence: Duration
    let connectTimeout: Duration
    /// The time at which the probe ends in any case.
    let deadline: MonotonicTime
    /// The user's packet, which the peer should answer; nil if there is none.
    let packet: [UInt8]?
    /// Called with the progress, from 0 to 1.
    let progress: (Double) -> Void
    /// nil if the peer is not probed inside TLS.
    var tls: ProbeConnection.TLS?

    func run() async throws(ConnectionError) -> Verdict {
        var findings = Findings()
        if let verdict = try await greeting(&findings) { return verdict }
        do throws(ConnectionError) {
            return try await verdict(&findings)
        } catch  where MonotonicTime.now >= deadline {
            return .unknown(.late(findings.last))
        }
    }

    /// Opens a connection, and listens for the peer's greeting.
    private func greeting(_ findings: inout Findings) async throws(ConnectionError) -> Verdict? {
        let greeting = try await exchange([]).last ?? Burst()
        if let verdict = findings.add(greeting) { return verdict }
        guard greeting.isWhole else {
            return .unknown(MonotonicTime.now < deadline ? .restless(greeting.bytes) : .late(greeting.bytes))
        }
        return ProbeGreeting.isText(greeting.bytes) ? .other(Self.lines) : nil
    }

    private func verdict(_ findings: inout Findings) async throws(ConnectionError) -> Verdict {
        for _ in 1..<Self.greetingCount where !findings.last.isEmpty {
            if let verdict = try await greeting(&findings) { return verdict }
        }
        let speaksFirst = !findings.last.isEmpty
        if let packet {
            if let verdict = try await answer(to: packet, speaksFirst, &findings) { return verdict }
        } else if findings.guess.bursts.count == Self.greetingCount, !findings.guess.isPossible {
            return .unknown(.unclear(findings.last))
        }
        for greeting in ProbeGreeting.all(isInsideTLS: tls != nil) {
            let answer = try await exchange([greeting.bytes], speaksFirst: speaksFirst).last ?? Burst()
            // An echo is not an answer.
            guard !greeting.bytes.starts(with: answer.bytes) else { continue }
            if let verdict = findings.add(answer, to: greeting.bytes) { return verdict }
        }
        if let verdict = try await answersToSignatures(speaksFirst, &findings) { return verdict }
        if ProbeGreeting.isText(findings.last) { return .other(Self.lines) }
        if let verdict = try await answersToPieces(speaksFirst, &findings) { return verdict }
        if let verdict = try await answersToProbePackets(speaksFirst, &findings) { return verdict }
        return .unknown(findings.last.isEmpty ? .silent : .unclear(findings.last))
    }

    /// Sends the user's packet. Returns the protocol that the answer identifies.
    private func answer(
        to packet: [UInt8], _ speaksFirst: Bool, _ findings: inout Findings
    ) async throws(ConnectionError) -> Verdict? {
        let answer = try await exchange([packet], speaksFirst: speaksFirst).last ?? Burst()
        let fitting = FramingGuess.all.filter { $0.fits(packet) && $0.fits(answer.whole) }
        if let framing = FramingGuess.likeliest(of: fitting), try await waits(for: packet, framing, speaksFirst) {
            return .packets(framing, name: "")
        }
        return findings.add(answer, to: packet)
    }

    /// Returns the protocol whose requests the peer answers.
    private func answersToSignatures(
        _ speaksFirst: Bool, _ findings: inout Findings
    ) async throws(ConnectionError) -> Verdict? {
        for signature in Signature.all {
            let request = signature.exchanges[0].request
            let answer = try await exchange([request], speaksFirst: speaksFirst).last ?? Burst()
            if try await fits(signature, answer.whole, speaksFirst) { return signature.verdict }
            // An echo is not an answer.
            guard !request.starts(with: answer.bytes) else { continue }
            if let verdict = findings.add(answer, to: request) { return verdict }
        }
        return nil
    }

    /// Whether the first answer and those to the other requests belong to the protocol.
    private func fits(
        _ signature: Signature, _ answer: [UInt8], _ speaksFirst: Bool
    ) async throws(ConnectionError) -> Bool {
        guard signature.exchanges[0].isAnswer(answer) else { return false }
        for step in signature.exchanges.dropFirst() {
            let answer = try await exchange([step.request], speaksFirst: speaksFirst).last ?? Burst()
            guard step.isAnswer(answer.whole) else { return false }
        }
        return true
    }

    /// Sends bytes that are not packets in any framing.
    private func answersToPieces(
        _ speaksFirst: Bool, _ findings: inout Findings
    ) async throws(ConnectionError) -> Verdict? {
        let bursts = try await exchange(Self.pieces, speaksFirst: speaksFirst)
        let answers = bursts.suffix(Self.pieces.count).map(\.whole)
        if answers == Self.pieces { return .unframed }
        let answered = answers.map { !$0.isEmpty }
        // If the peer answers only the first line, the number of bytes could be the reason, unless the answer is a line
        // itself.
        let isLine = !answered[0] && !answered[1] && ProbeGreeting.isText(answers[2])
        if isLine || answered == [false, false, true, false, true] { return .other(Self.lines) }
        for (piece, answer) in zip(Self.pieces, bursts.suffix(Self.pieces.count)) where answer.bytes != piece {
            if let verdict = findings.add(answer) { return verdict }
        }
        return nil
    }

    /// Sends packets of all framings.
    private func answersToProbePackets(
        _ speaksFirst: Bool, _ findings: inout Findings
    ) async throws(ConnectionError) -> Verdict? {
        for (index, probe) in ProbePackets.all.enumerated() {
            progress(Double(index) / Double(ProbePackets.all.count))
            let answer = try await exchange([probe.packets[0]], speaksFirst: speaksFirst).last ?? Burst()
            if let known = KnownPackets(of: answer.whole, to: probe.packets[0]) {
                return .packets(known.framing, name: known.name)
            }
            if probe.framing.fits(answer.whole),
                try await waits(for: probe.packets[1], probe.framing, speaksFirst)
            {
                return .packets(probe.framing, name: probe.name)
            }
            // An echo has the framing of the request.
            guard !probe.packets[0].starts(with: answer.bytes) else { continue }
            if let verdict = findings.add(answer) { return verdict }
        }
        return nil
    }

    /// Whether the peer waits for the last byte of the packet and then answers.
    private func waits(
        for packet: [UInt8], _ framing: Framing, _ speaksFirst: Bool
    ) async throws(ConnectionError) -> Bool {
        let bursts = try await exchange([Array(packet.dropLast()), Array(packet.suffix(1))], speaksFirst: speaksFirst)
        let answers = bursts.suffix(2)
        return answers.first?.bytes.isEmpty == true && framing.fits(answers.last?.whole ?? [])
    }

    /// Opens a connection, and returns the peer's bytes after each piece.
    ///
    /// If the peer sends first, the result begins with its bytes before the first piece.
    private func exchange(
        _ pieces: [[UInt8]], speaksFirst: Bool = false
    ) async throws(ConnectionError) -> [Burst] {
        let connection = try await ProbeConnection.open(
            addresses, on: loop, tls, timeout: connectTimeout, until: deadline)
        var bursts: [Burst] = []
        if speaksFirst || pieces.isEmpty { bursts.append(await connection.listen(silence, until: deadline)) }
        for piece in pieces {
            await connection.send(piece)
            bursts.append(await connection.listen(silence, until: deadline))
        }
        await connection.close()
        return bursts
    }
}
