// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A child program with which this process exchanges lines.
///
/// It has its own process group. So its own children can be ended with it, and a Ctrl-C reaches only this process.
final class ChildProgram {
    enum Loss: Error, Equatable {
        /// The program has ended. The text says how.
        case ended(String)
        /// The program has closed its output, but still runs.
        case closedOutput
        /// No complete line has arrived in time.
        case silent
        case tooLong
        case interrupted
        case failed(SystemError)
    }

    private let process: pid_t
    private let input = Input()
    private let output: Pipe
    private let errors: Pipe
    private var received: [UInt8] = []
    /// The number of bytes of ``received`` that contain no newline.
    private var searched = 0
    private var hasOutput = true
    private var hasErrors = true
    /// How the program has ended, in words; nil until this is known.
    private var ending: String?
    /// The last part of the program's standard error.
    private(set) var lastErrors: [UInt8] = []

    private static let keptErrorByteCount = 2048
    /// The time that a program has to end after it has closed its output. Most end at once.
    private static let endTime = Duration.seconds(5)
    /// The longest single wait. It bounds the time until a request to stop is noticed.
    private static let pollInterval = Duration.milliseconds(100)

    /// The pipe to the program's standard input. It has its own type, because it is closed before the others.
    private final class Input {
        var pipe: Pipe?
    }

    init(_ line: String) throws(SystemError) {
        let input = try Pipe()
        let output: Pipe
        let errors: Pipe
        do throws(SystemError) {
            output = try Pipe()
        } catch {
            input.close()
            throw error
        }
        do throws(SystemError) {
            errors = try Pipe()
        } catch {
            input.close()
            output.close()
            throw error
        }
        do throws(SystemError) {
            process = try Self.spawn(line, input, output, errors)
        } catch {
            for pipe in [input, output, errors] { pipe.close() }
            throw error
        }
        input.closeReadingEnd()
        output.closeWritingEnd()
        errors.closeWritingEnd()
        for end in [input.writingEnd, output.readingEnd, errors.readingEnd] {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
        self.input.pipe = input
        self.output = output
        self.errors = errors
    }

    deinit {
        kill()
    }

    // MARK: Exchanging lines

    /// Sends a line and waits for a line.
    ///
    /// - Parameters:
    ///   - line: The line, without a newline.
    ///   - time: The timeout for sending the line and receiving the reply.
    ///   - limit: The largest reply, in bytes.
    ///   - interruption: Ends the wait when the user interrupts the program.
    /// - Returns: The reply, without a newline.
    func exchange(
        _ line: [UInt8], within time: Duration, limit: Int, _ interruption: Interruption
    ) throws(Loss) -> [UInt8] {
        let deadline = ContinuousClock.now + time
        var pending = (line + [UInt8(ascii: "\n")])[...]
        while true {
            // A reply before the end of the request is invalid, unless the program has stopped reading.
            if pending.isEmpty || input.pipe == nil, let reply = takeLine() {
                guard reply.count <= limit else { throw .tooLong }
                return reply
            }
            guard received.count <= limit else { throw .tooLong }
            guard hasOutput else { throw try end(by: min(deadline, .now + Self.endTime), interruption) }
            guard !interruption.isRequested else { throw .interrupted }
            let rest = deadline - .now
            guard rest > .zero else { throw .silent }
            // The program may have replied before it ended, and its children can keep its output open after that.
            if ending == nil { ending = reap(WNOHANG) }
            let isOver = ending != nil
            let hasMore = try step(&pending, wait: isOver ? .zero : min(rest, Self.pollInterval))
            if let ending, isOver, !hasMore { throw .ended(ending) }
        }
    }

    /// Waits until one of the three pipes is ready, and then reads or writes.
    ///
    /// - Returns: Whether there was output, or its end.
    @discardableResult
    private func step(_ pending: inout ArraySlice<UInt8>, wait: Duration) throws(Loss) -> Bool {
        // `poll` ignores a negative descriptor.
        var requests = [
            pollfd(fd: pending.isEmpty ? -1 : input.pipe?.writingEnd ?? -1, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: hasOutput ? output.readingEnd : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: hasErrors ? errors.readingEnd : -1, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = Int32(max(wait > .zero ? 1 : 0, wait / .milliseconds(1)))
        // SAFETY: the kernel gets the array with its count.
        guard unsafe poll(&requests, nfds_t(requests.count), milliseconds) > 0 else { return false }
        if requests[0].revents != 0 { try send(&pending) }
        if requests[2].revents != 0 { receiveErrors() }
        guard requests[1].revents != 0, let piece = try receive(output.readingEnd) else { return false }
        received += piece
        hasOutput = !piece.isEmpty
        return true
    }

    private func send(_ pending: inout ArraySlice<UInt8>) throws(Loss) {
        guard let pipe = input.pipe else { return }
        let count = unsafe pending.withUnsafeBytes { bytes in
            // SAFETY: the buffer has this many bytes.
            unsafe write(pipe.writingEnd, bytes.baseAddress, bytes.count)
        }
        if count >= 0 {
            pending = pending.dropFirst(count)
        } else if errno == EPIPE {
            // The program has stopped reading. Its output will show whether it has ended or still replies.
            pipe.closeWritingEnd()
            input.pipe = nil
        } else if errno != EAGAIN && errno != EINTR {
            throw .failed(SystemError(code: errno))
        }
    }

    private func receiveErrors() {
        guard let piece = try? receive(errors.readingEnd) else { return }
        hasErrors = !piece.isEmpty
        lastErrors = Array((lastErrors + piece).suffix(Self.keptErrorByteCount))
    }

    /// Returns the bytes that have arrived: empty at the end, nil if there are none yet.
    private func receive(_ descriptor: Int32) throws(Loss) -> [UInt8]? {
        var code: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, initializedCount in
            // SAFETY: the kernel writes at most as many bytes as the buffer has, and returns the number.
            let count = unsafe read(descriptor, room.baseAddress, room.count)
            if count < 0 { code = errno } else { initializedCount = count }
        }
        if code == EAGAIN || code == EINTR { return nil }
        guard code == 0 else { throw .failed(SystemError(code: code)) }
        return bytes
    }

    private func takeLine() -> [UInt8]? {
        guard let end = received[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = received.count
            return nil
        }
        let line = Array(received[..<end])
        received.removeSubrange(...end)
        searched = 0
        return line
    }

    // MARK: The end

    /// Waits for the end of a program that has closed its output.
    private func end(by deadline: ContinuousClock.Instant, _ interruption: Interruption) throws(Loss) -> Loss {
        var nothing: ArraySlice<UInt8> = []
        repeat {
            if let words = ending ?? reap(WNOHANG) {
                // The last errors can arrive together with the end.
                while hasErrors {
                    let known = lastErrors
                    receiveErrors()
                    if lastErrors == known { break }
                }
                return .ended(words)
            }
            guard !interruption.isRequested else { return .interrupted }
            try step(&nothing, wait: .milliseconds(10))
            if !hasErrors { Self.pause() }
        } while .now < deadline
        return .closedOutput
    }

    /// Closes the program's input, so that it can end by itself. If it does not end in time, it is killed.
    func finish(within time: Duration, _ interruption: Interruption) {
        input.pipe?.closeWritingEnd()
        input.pipe = nil
        let deadline = ContinuousClock.now + time
        var nothing: ArraySlice<UInt8> = []
        while ending == nil, .now < deadline, !interruption.isRequested, reap(WNOHANG) == nil {
            if hasOutput || hasErrors { _ = try? step(&nothing, wait: .milliseconds(10)) } else { Self.pause() }
            received = []
            searched = 0
        }
        kill()
    }

    func kill() {
        input.pipe?.closeWritingEnd()
        input.pipe = nil
        if ending == nil {
            sendSignal(-process, SIGKILL)
            _ = reap(0)
        }
        output.close()
        errors.close()
    }

    /// Returns how the program has ended, in words; nil if it still runs.
    private func reap(_ options: Int32) -> String? {
        var status: Int32 = 0
        var found: pid_t
        // SAFETY: the kernel writes only the status.
        repeat { found = unsafe waitpid(process, &status, options) } while found < 0 && errno == EINTR
        guard found != 0 else { return nil }
        // The process group can still contain other processes.
        sendSignal(-process, SIGKILL)
        let signal = status & 0x7F
        ending =
            signal == 0 ? "ended with status \((status >> 8) & 0xFF)" : "was ended by signal \(signal)"
        return ending
    }

    /// Waits 10 ms. It is used when no pipe is left to wait for.
    private static func pause() { _ = poll(nil, 0, 10) }

    // MARK: Starting

    private static func spawn(
        _ line: String, _ input: Pipe, _ output: Pipe, _ errors: Pipe
    ) throws(SystemError) -> pid_t {
        // SAFETY: here and below, actions, attributes and sets are initialised before use, and freed once, at the end.
        var actions = unsafe Self.noActions
        var code = unsafe posix_spawn_file_actions_init(&actions)
        guard code == 0 else { throw SystemError(code: code) }
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input.readingEnd, System.Descriptor.standardInput)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.writingEnd, System.Descriptor.standardOutput)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors.writingEnd, System.Descriptor.standardError)
        var attributes = Self.noAttributes
        code = unsafe posix_spawnattr_init(&attributes)
        guard code == 0 else { throw SystemError(code: code) }
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // This process can have inherited blocked signals, and it ignores one. The program must start without either.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        var usual = sigset_t()
        unsafe sigemptyset(&usual)
        for signal in [SIGPIPE, SIGINT, SIGTERM] { _ = unsafe sigaddset(&usual, signal) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &usual)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let words = ["/bin/sh", "-c", line]
        let copies = unsafe words.map { unsafe strdup($0) }
        defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
        var process = pid_t()
        // SAFETY: the words end in a NUL and their list in nil, and both live until the call returns; nothing in this
        // process changes the environment.
        code = unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, copies + [nil], environ)
        guard code == 0 else { throw SystemError(code: code) }
        return process
    }

    #if canImport(Darwin)
        private static var noActions: posix_spawn_file_actions_t? { nil }
        private static var noAttributes: posix_spawnattr_t? { nil }
    #else
        // SAFETY: a structure of C that is all zeros is a valid value, which `posix_spawn_file_actions_init` sets.
        private static var noActions: posix_spawn_file_actions_t { unsafe posix_spawn_file_actions_t() }
        private static var noAttributes: posix_spawnattr_t { posix_spawnattr_t() }
    #endif
}

private func sendSignal(_ process: pid_t, _ signal: Int32) { _ = kill(process, signal) }
