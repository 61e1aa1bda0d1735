// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A thread of the system's that nobody waits for.
enum SystemThread {
    /// Runs a closure on a thread of its own, which ends with it.
    ///
    /// - Throws: ``TransportError/system(_:)`` when the system has no thread left; the closure is then not run.
    static func start(_ body: @escaping @Sendable () -> Void) throws(TransportError) {
        let context = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        var thread = pthread_t(bitPattern: 0)
        let code = unsafe pthread_create(
            &thread, nil,
            { context in
                unsafe SystemThread.run(context)
                return nil
            }, context)
        guard code == 0 else {
            unsafe Unmanaged<Body>.fromOpaque(context).release()
            throw .system(SystemCallError("pthread_create", code))
        }
        // On Darwin and with Musl a thread is a pointer, of which there may be none.
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
