// SPDX-License-Identifier: Apache-2.0

import CWirelineSystem

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

    private static let pipe = Result { () throws(TransportError) in
        let pipe = try SignalPipe(preparingThread: { wireline_unblock_hang_ups() }) { _ in
            for watch in watches.withLock({ $0 }) { watch() }
        }
        wireline_catch_hang_ups(pipe.writer)
        return pipe
    }
}
