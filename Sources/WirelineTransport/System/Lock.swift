// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A value that threads touch one at a time.
///
/// It is what `Synchronization.Mutex` is, over a mutex of the system: where `Mutex` has to wait, it does so in a library
/// that the thread sanitizer cannot see into (Swift 6.3 on Linux), and what it guards is then reported as a race.
///
/// The lock behind `@unchecked Sendable` is itself.
@safe
package struct Lock<Value>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// - Parameter value: What is guarded from now on.
    package init(_ value: Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs a closure while no other thread touches the value. It must be short, and must not ask for the lock again.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        // SAFETY: the value is initialised for as long as the lock lives, and nobody else is here.
        return try unsafe body(&value.pointee)
    }
}
