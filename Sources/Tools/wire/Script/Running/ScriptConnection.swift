// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema
import WirelineTransport

/// A connection that a script serves.
///
/// Its properties belong to the connection's loop, so `@unchecked Sendable` is correct: all its tasks run there.
final class ScriptConnection: @unchecked Sendable {
    enum Interruption: Error {
        /// Only the rule or the timer stops.
        case stopped
        /// The connection has ended, or the script ends it.
        case ended
    }

    /// The event for which a rule runs.
    struct Occasion: Sendable {
        /// The message in the form that `wire decode` prints; nil if the event is a new connection.
        var line: JSONValue?
        /// The packet of the message, with its own copy of the bytes; nil if the event is a new connection.
        var packet: ReceivedPacket?

        var byteCount: Int { packet?.byteCount ?? 0 }
        /// How many times the rule has run on this connection, including this time.
        var count = 0
    }

    /// The number of statements after which other tasks on the loop run. Sending 1,000 messages takes 10 ms.
    ///
    /// Inside of `glue` no other task of the loop runs, so ``mostGluedStatements`` limits the number of statements.
    private static let statementsPerTurn = 100
    private static let mostGluedStatements = 1_000_000

    let connection: PacketConnection
    let run: ScriptRun
    let number: Int
    var variables: [JSONValue]
    var random: SplitMix64
    private var counts: [Int]
    /// Whether the script has run `silence` or `end`. Nothing is sent after them.
    var isSilent = false
    /// The bytes of the current `glue` block; nil outside one.
    var glue: [UInt8]?
    /// The messages of the current `bundle`; nil outside one.
    var bundled: [UnsealedPacket]?
    private var statementCount = 0

    private(set) var isRunning = true
    private var isEndedByScript = false
    private var failure: (any Error)?
    /// The tasks that sleep, each with the timer that resumes it.
    private var sleepers: [UInt64: (timer: EventLoop.Timer, continuation: CheckedContinuation<Void, Never>)] = [:]
    private var lastSleeper: UInt64 = 0
    private var timers: [UInt64: Task<Void, Never>] = [:]
    private var lastTimer: UInt64 = 0
    private var timedByteCount = 0
    /// The bytes of packets that wait for earlier packets or for space in the output queue.
    var waitingByteCount = 0
    private var isSending = false
    private var senders = Queue<CheckedContinuation<Void, Never>>()

    init(_ connection: PacketConnection, _ run: ScriptRun, number: Int) {
        self.connection = connection
        self.run = run
        self.number = number
        variables = run.script.variables.map(\.initialValue)
        counts = Array(repeating: 0, count: run.script.rules.count)
        random = run.random(ofConnection: number)
    }

    /// Runs the script until the connection ends.
    ///
    /// - Throws: The error of the script, or the error that ended the connection.
    nonisolated(nonsending) func serve() async throws {
        // The client can already be gone.
        guard connection.stream.isOpen else { return }
        connection.onClosed = { [weak self] _ in self?.end() }
        do {
            try await follow(run.rulesOfConnect, Occasion())
            while isRunning, let packet = try await connection.next() {
                let start = MonotonicTime.now
                statementCount = 0
                try await receive(packet)
                // A short message can cause long work. Its time counts as work of the loop.
                connection.loop.spend(Int(clamping: MonotonicTime.now.nanoseconds - start.nanoseconds))
                await connection.loop.giveWay()
            }
        } catch let error as ScriptFailure {
            failure = failure ?? run.placed(error)
        } catch is Interruption {
            // The script has ended the connection, or the client has.
        } catch {
            if !isEndedByScript { failure = error }
        }
        end()
        for timer in timers.values { timer.cancel() }
        for timer in timers.values { await timer.value }
        if let failure { throw failure }
    }

    private nonisolated(nonsending) func receive(_ packet: ReceivedPacket) async throws {
        let rules = run.rules(id: packet.id)
        guard !rules.isEmpty else { return noteUnanswered(packet) }
        var occasion = Occasion(line: try run.translator.decode(packet.lent, from: .client))
        occasion.packet = packet.copied(for: connection.loop)
        if try await !follow(rules, occasion) { noteUnanswered(packet) }
    }

    private func noteUnanswered(_ packet: ReceivedPacket) {
        let name = run.translator.description.message(id: packet.id, from: .client)?.name ?? "ID \(packet.id)"
        run.note("\(connection.peerAddress): no rule for \(name)")
    }

    /// Runs the first rule whose condition is true.
    ///
    /// - Returns: Whether a rule was run.
    @discardableResult
    private nonisolated(nonsending) func follow(_ rules: [Int], _ occasion: Occasion) async throws -> Bool {
        for index in rules {
            let rule = run.script.rules[index]
            var occasion = occasion
            occasion.count = counts[index] + 1
            if let condition = rule.condition, try !isTrue(condition, occasion) { continue }
            counts[index] += 1
            do {
                try await execute(rule.body, occasion)
            } catch Interruption.stopped {
                // `stop` ends only this rule.
            }
            return true
        }
        return false
    }

    // MARK: Statements

    private nonisolated(nonsending) func execute(_ body: [Script.Statement], _ occasion: Occasion) async throws {
        for statement in body {
            guard isRunning else { throw Interruption.ended }
            try await pause(before: statement)
            try await execute(statement, occasion)
        }
    }

    private nonisolated(nonsending) func pause(before statement: Script.Statement) async throws {
        statementCount += 1
        if glue == nil, bundled == nil {
            guard statementCount >= Self.statementsPerTurn else { return }
            statementCount = 0
            try await sleep(for: .zero)
        } else if statementCount > Self.mostGluedStatements {
            throw ScriptFailure(
                span: statement.span,
                reason: "more than \(Self.mostGluedStatements) statements are \(glue == nil ? "bundled" : "glued")")
        }
    }

    private nonisolated(nonsending) func execute(_ statement: Script.Statement, _ occasion: Occasion) async throws {
        switch statement.kind {
        case .send(let message, let delivery): try await send(message, delivery, occasion, statement.span)
        case .echo(let delivery):
            if let packet = occasion.packet {
                try await send(returned(packet, delivery, statement.span), delivery, statement.span)
            }
        case .raw(let bytes, let delivery): try await send(raw(bytes, delivery), delivery, statement.span)
        case .assign(let index, let isShared, let expression):
            try assign(index, isShared: isShared, expression, occasion)
        case .set(let state, let expression): try set(state, expression, occasion)
        case .condition(let condition, let block, let otherwise):
            try await execute(try isTrue(condition, occasion) ? block : otherwise, occasion)
        case .loop(let count, let block):
            for _ in 0..<count { try await execute(block, occasion) }
        case .wait(let pause): try await sleep(for: time(of: pause))
        case .after(let pause, let block): try startTimer(pause, times: 1, block, occasion, statement.span)
        case .every(let pause, let times, let block):
            try startTimer(pause, times: times, block, occasion, statement.span)
        case .glue(let block): try await executeGlued(block, occasion, statement.span)
        case .bundle(let bundle, let block, let delivery):
            try await execute(bundle, block, delivery, occasion, statement.span)
        case .stop: throw Interruption.stopped
        case .silence: isSilent = true
        case .endOutput:
            isSilent = true
            connection.endOutput()
        case .close:
            isEndedByScript = true
            end()
            connection.finish()
            throw Interruption.ended
        case .reset:
            isEndedByScript = true
            end()
            connection.stream.reset()
            connection.close()
            throw Interruption.ended
        }
    }

    private nonisolated(nonsending) func executeGlued(
        _ block: [Script.Statement], _ occasion: Occasion, _ span: SourceSpan
    ) async throws {
        glue = []
        statementCount = 0
        defer { glue = nil }
        var interruption: (any Error)?
        do { try await execute(block, occasion) } catch { interruption = error }
        let bytes = glue ?? []
        glue = nil
        if isRunning { try await send(bytes, Script.Delivery(), span) }
        if let interruption { throw interruption }
    }

    /// Sends messages in one packet, or adds that packet to the `bundle` around it.
    private nonisolated(nonsending) func execute(
        _ bundle: Script.Bundle, _ block: [Script.Statement], _ delivery: Script.Delivery, _ occasion: Occasion,
        _ span: SourceSpan
    ) async throws {
        let around = bundled
        bundled = []
        if around == nil, glue == nil { statementCount = 0 }
        let packet: UnsealedPacket
        do {
            defer { bundled = around }
            try await execute(block, occasion)
            packet = try self.packet(bundle, bundled ?? [], occasion, span)
        }
        guard around == nil else {
            bundled?.append(packet)
            return
        }
        try await send(sealed(packet, delivery, span), delivery, span)
    }

    private nonisolated(nonsending) func send(
        _ message: Script.Message, _ delivery: Script.Delivery, _ occasion: Occasion, _ span: SourceSpan
    ) async throws {
        guard bundled == nil else {
            bundled?.append(try unsealed(message, occasion, span))
            return
        }
        try await send(packet(of: message, delivery, occasion, span), delivery, span)
    }

    private func assign(
        _ index: Int, isShared: Bool, _ expression: Script.Expression, _ occasion: Occasion
    ) throws(ScriptFailure) {
        guard isShared else {
            variables[index] = try scalar(expression, occasion, run.sharedValues)
            return
        }
        try run.changeShared(index) { values throws(ScriptFailure) in try scalar(expression, occasion, values) }
    }

    /// Sets a state of the connection. It applies to later packets in both directions.
    private func set(
        _ state: String, _ expression: Script.Expression, _ occasion: Occasion
    ) throws(ScriptFailure) {
        let value = try value(of: expression, evaluation(occasion))
        do throws(StateTextError) {
            var states = connection.states
            states[state] = try run.translator.description.number(ofState: state, json: value)
            connection.setStates(states)
        } catch {
            throw ScriptFailure(span: expression.span, reason: "\(error)")
        }
    }

    // MARK: Time

    func time(of pause: Script.Pause) -> Duration {
        guard pause.least < pause.most else { return pause.least }
        let span = pause.most - pause.least
        let milliseconds = span.components.seconds * 1_000 + span.components.attoseconds / 1_000_000_000_000_000
        return pause.least + .milliseconds(Int64.random(in: 0...milliseconds, using: &random))
    }

    private func startTimer(
        _ pause: Script.Pause, times: Int?, _ block: [Script.Statement], _ occasion: Occasion, _ span: SourceSpan
    ) throws(ScriptFailure) {
        let own = TimerBudget.Use(count: timers.count, byteCount: timedByteCount)
        if let excess = run.timers.add(to: own, byteCount: occasion.byteCount) {
            throw ScriptFailure(span: span, reason: excess)
        }
        timedByteCount += occasion.byteCount
        lastTimer += 1
        let key = lastTimer
        // ``serve()`` awaits the task.
        timers[key] = Task(executorPreference: connection.loop) {
            await self.runTimer(pause, times: times, block, occasion)
            self.timedByteCount -= occasion.byteCount
            self.run.timers.remove(byteCount: occasion.byteCount)
            // After the end, ``serve()`` reads the table, so it must not change.
            if self.isRunning { self.timers[key] = nil }
        }
    }

    private nonisolated(nonsending) func runTimer(
        _ pause: Script.Pause, times: Int?, _ block: [Script.Statement], _ occasion: Occasion
    ) async {
        var deadline = MonotonicTime.now
        var rest = times ?? .max
        do {
            while rest > 0 {
                // A timer that is late skips the ticks it has missed.
                deadline = max(deadline + time(of: pause), .now)
                try await sleep(until: deadline)
                try await execute(block, occasion)
                if times != nil { rest -= 1 }
            }
        } catch let error as ScriptFailure {
            fail(run.placed(error))
        } catch {
            // The timer was stopped, or the connection has ended. The receiving task throws the connection's error.
        }
    }

    nonisolated(nonsending) func sleep(for duration: Duration) async throws(Interruption) {
        try await sleep(until: .now + duration)
    }

    private nonisolated(nonsending) func sleep(until deadline: MonotonicTime) async throws(Interruption) {
        guard isRunning else { throw .ended }
        let loop = connection.loop
        loop.preconditionIsCurrent()
        lastSleeper += 1
        let key = lastSleeper
        await withCheckedContinuation { continuation in
            let timer = loop.schedule(at: deadline) { self.sleepers.removeValue(forKey: key)?.continuation.resume() }
            sleepers[key] = (timer, continuation)
        }
        guard isRunning else { throw .ended }
    }

    // MARK: Turns

    /// Waits until no other task is sending a packet.
    nonisolated(nonsending) func takeTurn() async throws(Interruption) {
        while isSending {
            await withCheckedContinuation { senders.append($0) }
            guard isRunning else { throw .ended }
        }
        isSending = true
    }

    func giveTurn() {
        isSending = false
        senders.popFirst()?.resume()
    }

    // MARK: The end

    private func fail(_ error: any Error) {
        guard isRunning else { return }
        failure = error
        isEndedByScript = true
        end()
        connection.close()
    }

    /// Stops all tasks of the script on this connection.
    private func end() {
        guard isRunning else { return }
        isRunning = false
        let sleepers = sleepers
        self.sleepers = [:]
        for sleeper in sleepers.values {
            connection.loop.cancel(sleeper.timer)
            sleeper.continuation.resume()
        }
        while let sender = senders.popFirst() { sender.resume() }
    }
}
