// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Standard output and standard error.
///
/// Output is collected and written in large pieces, each of whole lines; ``flush()`` stands before every wait for input.
final class Console: Sendable {
    private let pending = Lock<[UInt8]>([])
    private static let flushByteCount = 1 << 16

    // MARK: Results

    /// Prints a line.
    func print(_ line: String) throws(CommandError) {
        try write(Array(line.utf8) + [UInt8(ascii: "\n")])
    }

    /// Prints bytes that end in a newline.
    func write(_ lines: [UInt8]) throws(CommandError) {
        let full = pending.withLock { pending -> [UInt8] in
            pending += lines
            guard pending.count >= Self.flushByteCount else { return [] }
            defer { pending = [] }
            return pending
        }
        try put(full)
    }

    /// Prints a line that somebody may wait for.
    func printAtOnce(_ line: String) throws(CommandError) {
        try print(TextStyle.harmless(line))
        try flush()
    }

    /// Writes what has been collected.
    func flush() throws(CommandError) {
        let rest = pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
        try put(rest)
    }

    private func put(_ bytes: [UInt8]) throws(CommandError) {
        guard !bytes.isEmpty else { return }
        do throws(SystemError) {
            try System.write(System.Descriptor.standardOutput, bytes)
        } catch {
            if error.isBrokenPipe { throw .outputIsClosed }
            throw .failure("cannot write to standard output: \(error.reason)")
        }
    }

    // MARK: Errors

    /// Prints an error, and what to do about it, to standard error.
    func report(error: String, hint: String? = nil) {
        let style = TextStyle(of: System.Descriptor.standardError)
        var lines = style.error("error:") + " " + TextStyle.harmless(error)
        if let hint { lines += "\n" + style.help("help:") + " " + TextStyle.harmless(hint) }
        put(error: lines)
    }

    /// Prints a line to standard error.
    func report(_ line: String) { put(error: TextStyle.harmless(line)) }

    /// Prints lines that hold nothing dangerous, but may hold our own colours, to standard error.
    func report(styled lines: String) { put(error: lines) }

    /// Shows how far something has come, in a line on standard error that the next one replaces; an empty one takes it away.
    /// Where standard error is no terminal nobody sees it.
    func report(progress line: String) {
        guard System.isTerminal(System.Descriptor.standardError) else { return }
        try? System.write(System.Descriptor.standardError, Array("\r\u{1B}[K\(TextStyle.harmless(line))".utf8))
    }

    private func put(error lines: String) {
        // When standard error is closed there is nobody left to tell.
        try? System.write(System.Descriptor.standardError, Array((lines + "\n").utf8))
    }
}
