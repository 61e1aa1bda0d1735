// SPDX-License-Identifier: Apache-2.0

import CWirelineSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A detached thread of the system.
enum SystemThread {
    /// The stack size of a thread: 8 MiB, as on the main thread of most systems.
    /// The program's code runs on these threads, and other threads have 128 KiB (Musl) or 512 KiB (Darwin). Memory is
    /// taken as it is touched.
    static let stackByteCount = 8 << 20

    /// Runs a closure on a new thread, which ends with it.
    ///
    /// - Throws: ``TransportError/system(_:)`` if the system has no thread left; the closure is then not run.
    static func start(_ body: @escaping @Sendable () -> Void) throws(TransportError) {
        // SAFETY: the thread releases the closure, or this function does if there is no thread; the attributes live
        // until the end.
        let context = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        var thread = pthread_t(bitPattern: 0)
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        // If the system refuses, the thread has the default stack.
        unsafe pthread_attr_setstacksize(&attributes, stackByteCount)
        let code = unsafe pthread_create(
            &thread, &attributes,
            { context in
                unsafe SystemThread.run(context)
                return nil
            }, context)
        guard code == 0 else {
            unsafe Unmanaged<Body>.fromOpaque(context).release()
            throw .system(SystemCallError("pthread_create", code))
        }
        // On Darwin and with Musl a thread is an optional pointer.
        if let thread = thread as pthread_t? { pthread_detach(thread) }
    }

    @unsafe
    private static func run(_ context: UnsafeMutableRawPointer?) {
        guard let context = unsafe context else { return }
        // SAFETY: start(_:) has retained the closure for this thread.
        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
