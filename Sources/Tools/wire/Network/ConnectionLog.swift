// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// Prints lines about connections to standard error, and results to standard output.
///
/// A separate thread prints, because standard error or output may be a pipe that is not read at the moment. Three
/// limits
/// keep many bad clients from filling a disk or the memory: ``queueLimit``, ``messagesPerSecond``, and ``noteInterval``
/// for
/// the line that reports omitted lines.
final class ConnectionLog: Sendable {
    fileprivate enum Line {
        /// Errors and notes about connections have a limited rate.
        case error(String)
        case note(String)
        /// The user asked for these lines, so only the queue limits them.
        case text(String)
        case result(String)
        /// The printing thread makes the text of an event: for a large packet, that would delay the loop.
        case event(TrafficLog.Entry)
    }

    fileprivate struct State {
        var lines: [Line] = []
        /// The bytes of packets without a text so far.
        var packetByteCount = 0
        /// Whether a thread prints, or soon will.
        var isPrinting = false
        var printedCount = 0
        /// Omitted lines that were not reported yet.
        var leftOutCount = 0
        var lastNote: MonotonicTime?
        /// The number of errors and notes in the current second.
        var second = (start: MonotonicTime.now, count: 0)
        /// Waits until everything is printed.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let console: Console
    private let state = Lock(State())

    /// The most queued lines; later ones are omitted.
    private static let queueLimit = 1_000
    /// With this many queued bytes of packets, later lines are omitted.
    private static let packetByteLimit = 8 << 20
    /// The most errors and notes in a second; later ones are omitted.
    private let messagesPerSecond: Int
    /// The shortest time between two reports of omitted lines.
    private static let noteInterval = Duration.seconds(1)
    /// The longest times that ``finish()`` waits: without a printed line, and in total.
    private static let (stallTime, finishTime) = (Duration.seconds(1), Duration.seconds(10))

    init(_ console: Console, _ arguments: Arguments) throws(CommandError) {
        self.console = console
        let text = arguments[.logRate] ?? "100"
        messagesPerSecond = Int(try WholeNumber.value(of: text, in: 1...WholeNumber.most, of: .logRate))
    }

    /// Reports why a connection has ended. May be called on a loop.
    func ended(_ peer: SocketAddress, _ error: (any Error)?) {
        guard let error else { return }
        switch error as? ConnectionError {
        // Either side may close at any time.
        case .transport(.closed), .transport(.reset), .cancelled: break
        case .transport(.timedOut):
            put(.error("\(peer): it has sent nothing, or has taken nothing of what was sent to it, for too long"))
        default: put(.error("\(peer): \(error)"))
        }
    }

    /// Reports the first of several failures to accept. May be called on a loop.
    func acceptFailed(_ error: TransportError) {
        put(.error("no further connection is taken, clients wait: \(error); it is tried again every 100 ms"))
    }

    /// May be called on a loop.
    func note(_ text: String) { put(.note("note: " + text)) }

    /// May be called on a loop.
    func say(_ text: String) { put(.text(text)) }

    /// May be called on a loop.
    func show(_ entry: TrafficLog.Entry) { put(.event(entry)) }

    /// Prints an answer to the operator of this process, even if lines are being omitted.
    func answer(_ text: String) { put(.note("note: " + text), isAnswer: true) }

    /// Prints why an operator's request fails, even if lines are being omitted.
    func refuse(_ reason: String) { put(.error(reason), isAnswer: true) }

    /// May be called on a loop.
    func report(_ error: String) { put(.error(error)) }

    /// Prints to standard output. May be called on a loop.
    func show(_ text: String) { put(.result(text)) }

    private func put(_ line: Line, isAnswer: Bool = false) {
        EventLoop.note(.lineLogged)
        let startsThread = state.withLock { state in
            let hasRoom = state.lines.count < Self.queueLimit && state.packetByteCount < Self.packetByteLimit
            guard isAnswer || hasRoom && state.countLine(line, messagesPerSecond) else {
                state.leftOutCount += 1
                return false
            }
            state.lines.append(line)
            state.packetByteCount += line.packetByteCount
            defer { state.isPrinting = true }
            return !state.isPrinting
        }
        if startsThread { startPrinting() }
    }

    private func startPrinting() {
        do throws(TransportError) {
            try BlockingCalls.shared.run { self.printLines() }
        } catch {
            // No thread could start. The next line tries again; until then, lines beyond the limit are omitted.
            state.withLock { $0.isPrinting = false }
        }
    }

    private func printLines() {
        while let lines = takeLines() {
            for line in lines {
                switch line {
                case .error(let text): console.report(error: text)
                case .note(let text), .text(let text): console.report(text)
                case .result(let text): try? console.printAtOnce(text)
                case .event(let entry): console.report("\(entry)")
                }
                state.withLock { state in
                    state.printedCount += 1
                    state.packetByteCount -= line.packetByteCount
                }
            }
        }
    }

    /// Nil if the queue is empty; then the next line starts a thread.
    private func takeLines() -> [Line]? {
        let (lines, waiter) = state.withLock { state -> ([Line]?, CheckedContinuation<Void, Never>?) in
            var lines = state.lines
            state.lines = []
            if let note = state.takeNote(interval: state.waiter == nil ? Self.noteInterval : .zero) {
                lines.append(.text(note))
            }
            guard lines.isEmpty else { return (lines, nil) }
            state.isPrinting = false
            return (nil, state.waiter.take())
        }
        waiter?.resume()
        return lines
    }

    /// Waits until all lines are printed, at most ``stallTime`` without progress.
    func finish() async {
        await withCheckedContinuation { continuation in
            let startsThread = state.withLock { state in
                state.waiter = continuation
                defer { state.isPrinting = true }
                return !state.isPrinting
            }
            if startsThread { startPrinting() }
            // Nobody awaits this task: it ends with the lines, or soon after.
            Task { await self.giveUpWaiting() }
        }
    }

    private func giveUpWaiting() async {
        let end = MonotonicTime.now + Self.finishTime
        var printedCount = -1
        while MonotonicTime.now < end {
            let (count, isWaiting) = state.withLock { ($0.printedCount, $0.waiter != nil) }
            guard isWaiting else { return }
            guard count != printedCount else { break }
            printedCount = count
            try? await Task.sleep(for: Self.stallTime)
        }
        state.withLock { $0.waiter.take() }?.resume()
    }
}

extension ConnectionLog.Line {
    /// The bytes of a packet without a text so far.
    fileprivate var packetByteCount: Int {
        guard case .event(let entry) = self else { return 0 }
        switch entry.event {
        case .sent(let message), .received(let message): return message.byteCount
        default: return 0
        }
    }
}

extension ConnectionLog.State {
    /// Counts a line. Returns whether it is within the limit of this second.
    fileprivate mutating func countLine(_ line: ConnectionLog.Line, _ limit: Int) -> Bool {
        switch line {
        case .text, .result, .event: return true
        case .error, .note: break
        }
        let now = MonotonicTime.now
        if second.start + .seconds(1) <= now { second = (now, 0) }
        second.count += 1
        return second.count <= limit
    }

    /// Returns the report of omitted lines, if it is due.
    fileprivate mutating func takeNote(interval: Duration) -> String? {
        guard leftOutCount > 0 else { return nil }
        let now = MonotonicTime.now
        if let lastNote, now < lastNote + interval { return nil }
        lastNote = now
        defer { leftOutCount = 0 }
        return "note: \(leftOutCount) \(leftOutCount == 1 ? "line was" : "lines were") left out: there were too many"
    }
}
