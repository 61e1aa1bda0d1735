// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Standard output and standard error.
///
/// Output is buffered, and written in large pieces of whole lines. Call ``flush()`` before every wait for input.
final class Console: Sendable {
    private let pending = Lock<[UInt8]>([])
    private static let flushByteCount = 1 << 16

    // MARK: Results

    /// Prints a line. Characters that would control a terminal or begin another line are escaped.
    func print(_ line: String) throws(CommandError) { try print(styled: TextStyle.harmless(line)) }

    /// Prints lines of this program. Names from elsewhere must be escaped already.
    func print(lines: String) throws(CommandError) { try print(styled: TextStyle.harmless(lines: lines)) }

    /// Prints lines that are escaped already. They can contain this program's colours.
    func print(styled lines: String) throws(CommandError) {
        try write(Array(lines.utf8) + [UInt8(ascii: "\n")])
    }

    /// Writes lines without escaping, such as JSON. The bytes must end in a newline.
    func write(_ lines: [UInt8]) throws(CommandError) {
        let full = pending.withLock { pending -> [UInt8] in
            pending += lines
            guard pending.count >= Self.flushByteCount else { return [] }
            defer { pending = [] }
            return pending
        }
        try put(full)
    }

    /// Prints a line without buffering it, because its reader waits for it.
    func printAtOnce(_ line: String) throws(CommandError) {
        try print(line)
        try flush()
    }

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

    func report(error: String, hint: String? = nil) {
        let style = TextStyle(of: System.Descriptor.standardError)
        var lines = style.error("error:") + " " + TextStyle.harmless(error)
        if let hint { lines += "\n" + style.help("help:") + " " + TextStyle.harmless(hint) }
        put(error: lines)
    }

    func report(_ line: String) { put(error: TextStyle.harmless(line)) }

    /// Prints lines to standard error. They must be escaped already, and can contain this program's colours.
    func report(styled lines: String) { put(error: lines) }

    /// Shows a line on standard error. The next one replaces it, and an empty one clears it.
    ///
    /// Nothing is printed if standard error is not a terminal.
    func report(progress line: String) {
        guard System.isTerminal(System.Descriptor.standardError) else { return }
        try? System.write(System.Descriptor.standardError, Array("\r\u{1B}[K\(TextStyle.harmless(line))".utf8))
    }

    private func put(error lines: String) {
        // If standard error is closed, the text is lost.
        try? System.write(System.Descriptor.standardError, Array((lines + "\n").utf8))
    }
}
