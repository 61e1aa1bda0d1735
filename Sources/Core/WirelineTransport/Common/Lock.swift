// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A value behind a mutex.
///
/// It works like `Synchronization.Mutex`, over a mutex of the system. `Mutex` waits in a library that the thread
/// sanitizer cannot see into (Swift 6.3 on Linux); the sanitizer then reports the guarded value as a race.
///
/// The lock for `@unchecked Sendable` is itself.
@safe
package struct Lock<Value>: ~Copyable, @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: Value) {
        // SAFETY: both allocations are this value's own until `deinit`, and never move.
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
    }

    deinit {
        // SAFETY: this value cannot be copied, and its owner is gone, so no thread uses the lock.
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs a closure while no other thread can access the value. It must be short and must not lock again.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        // SAFETY: the value is initialised for as long as the lock lives, and the mutex is held.
        return try unsafe body(&value.pointee)
    }
}
