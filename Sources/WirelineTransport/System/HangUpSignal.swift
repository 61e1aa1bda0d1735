// SPDX-License-Identifier: Apache-2.0

import CWirelineSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// SIGHUP, by which an operator asks a server to read its files again, such as certificates: `kill -HUP`.
///
///     try HangUpSignal.watch {
///         do { try context.replace(with: configuration) } catch { logger.error("the old certificates stay: \(error)") }
///     }
///
/// Without a watch, SIGHUP ends the process. The system also sends it when a terminal is closed.
public enum HangUpSignal {
    /// Calls a closure at each SIGHUP from now on, until the process ends.
    ///
    /// Closures run one after another, in the order of their watches, on a thread of their own that may block. Signals
    /// that come while closures run are handled afterwards; several may count as one. A process that ignored SIGHUP
    /// before, as after `nohup`, no longer does.
    ///
    /// - Throws: ``TransportError/system(_:)`` if the system has no descriptor or no thread left.
    public static func watch(_ action: @escaping @Sendable () -> Void) throws(TransportError) {
        // An action must not be missed by a signal that comes at once.
        watches.withLock { $0.append(action) }
        _ = try pipe.get()
    }

    private static let watches = Lock<[@Sendable () -> Void]>([])

    /// The end of a pipe that the signal handler writes to, which is never closed.
    private static let pipe = Result { () throws(TransportError) in
        var ends: (Int32, Int32) = (-1, -1)
        // SAFETY: the call writes two descriptors, which is what a tuple of two of them has room for.
        let code = unsafe withUnsafeMutableBytes(of: &ends) { unsafe wireline_make_signal_pipe($0.baseAddress) }
        guard code == 0 else { throw .system(SystemCallError("pipe", errno)) }
        let (reader, writer) = ends
        do throws(TransportError) {
            try SystemThread.start { readSignals(from: reader) }
        } catch {
            SystemCall.close(reader)
            SystemCall.close(writer)
            throw error
        }
        wireline_catch_hang_ups(writer)
        return writer
    }

    private static func readSignals(from pipe: Int32) {
        // All other threads may block the signal.
        wireline_unblock_hang_ups()
        while true {
            var number: UInt8 = 0
            // SAFETY: the call writes one byte.
            guard unsafe read(pipe, &number, 1) == 1 else { continue }
            for watch in watches.withLock({ $0 }) { watch() }
        }
    }
}
