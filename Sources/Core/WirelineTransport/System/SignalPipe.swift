// SPDX-License-Identifier: Apache-2.0

import CWirelineSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A pipe that a signal handler writes the signal's number to, and a thread that reads it until the process ends.
///
/// The pipe is never closed, because a handler may still run.
struct SignalPipe: Sendable {
    let writer: Int32

    /// - Parameters:
    ///   - prepare: Called first on the thread, to unblock the signals there: all other threads may block them.
    ///   - receive: Called on the thread with the number of each signal; it may block.
    init(
        preparingThread prepare: @escaping @Sendable () -> Void, receive: @escaping @Sendable (UInt8) -> Void
    ) throws(TransportError) {
        var ends: (Int32, Int32) = (-1, -1)
        // SAFETY: the call writes two descriptors, which is what a tuple of two of them has room for.
        let code = unsafe withUnsafeMutableBytes(of: &ends) { unsafe wireline_make_signal_pipe($0.baseAddress) }
        guard code == 0 else { throw .system(SystemCallError("pipe", errno)) }
        let reader = ends.0
        writer = ends.1
        do throws(TransportError) {
            try SystemThread.start {
                prepare()
                while true {
                    var number: UInt8 = 0
                    // SAFETY: the call writes one byte.
                    guard unsafe read(reader, &number, 1) == 1 else { continue }
                    receive(number)
                }
            }
        } catch {
            SystemCall.close(reader)
            SystemCall.close(writer)
            throw error
        }
    }
}
