// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineTransport

/// Prints lines about connections to standard error, and results to standard output.
///
/// A separate thread prints, because a write to standard error or output blocks while its reader is slow.
///
/// Three limits keep many bad clients from filling a disk or the memory: ``queueLimit``, ``messagesPerSecond``, and
/// ``noteInterval`` for the line that reports omitted lines.
final class ConnectionLog: Sendable {
    fileprivate enum Line {
        /// Errors and notes about connections. Their rate is limited.
        case error(String)
        case note(String)
        /// A line that the user has asked for. Only the queue limits these lines.
        case text(String)
        case result(String)
        /// An event whose text is made by the printing thread, because the text of a large packet would delay the loop.
        case event(TrafficLog.Entry)
    }

    fileprivate struct State {
        var lines: [Line] = []
        /// The bytes of the queued packets whose text has not been made.
        var packetByteCount = 0
        /// Whether a thread prints or is about to start.
        var isPrinting = false
        var printedCount = 0
        /// The number of omitted lines that were not reported yet.
        var leftOutCount = 0
        var lastNote: MonotonicTime?
        /// The number of errors and notes in the current second.
        var second = (start: MonotonicTime.now, count: 0)
        /// The task that waits in ``finish()``.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let console: Console
    private let state = Lock(State())

    /// The largest number of queued lines. Later ones are omitted.
    private static let queueLimit = 1_000
    /// The number of queued packet bytes from which later lines are omitted.
    private static let packetByteLimit = 8 << 20
    /// The largest number of errors and notes in a second. Later ones are omitted.
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
        // It is normal that either side closes.
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
            // No thread could start. The next line tries again. Until then, lines above the limit are omitted.
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

    /// Returns nil if the queue is empty. The next line then starts a thread.
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

    /// Waits until all lines are printed. It gives up after ``stallTime`` without progress, or after ``finishTime``.
    func finish() async {
        await withCheckedContinuation { continuation in
            let startsThread = state.withLock { state in
                state.waiter = continuation
                defer { state.isPrinting = true }
                return !state.isPrinting
            }
            if startsThread { startPrinting() }
            // Nobody awaits this task. It ends with the last line, or soon after.
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
    /// The bytes of the packet if its text has not been made.
    fileprivate var packetByteCount: Int {
        guard case .event(let entry) = self else { return 0 }
        switch entry.event {
        case .sent(let message), .received(let message): return message.byteCount
        default: return 0
        }
    }
}

extension ConnectionLog.State {
    /// Counts a line, and returns whether it is within the limit of this second.
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

    /// Returns the report of omitted lines if it is due.
    fileprivate mutating func takeNote(interval: Duration) -> String? {
        guard leftOutCount > 0 else { return nil }
        let now = MonotonicTime.now
        if let lastNote, now < lastNote + interval { return nil }
        lastNote = now
        defer { leftOutCount = 0 }
        return "note: \(leftOutCount) \(leftOutCount == 1 ? "line was" : "lines were") left out: there were too many"
    }
}
