// SPDX-License-Identifier: Apache-2.0

// Beside Darwin's there is libkqueue, over which Tests/Kqueue runs this file on Linux.
#if canImport(Darwin) || canImport(CKqueue)
    #if canImport(Darwin)
        import Darwin
    #else
        import CKqueue
        import Glibc
    #endif

    /// Waits for sockets to become ready, over kqueue.
    ///
    /// Sockets are watched once and for all, and told of only when something has changed (`EV_CLEAR`). Each has two
    /// filters, for reading and for writing, which are told of in two events: the loop reckons with two for a socket.
    @safe
    struct Poller: ~Copyable {
        private let queue: Int32
        private let events: UnsafeMutableBufferPointer<kevent>

        /// How many events one wait tells of at most.
        var capacity: Int { unsafe events.count }

        /// Ends another thread's wait: the queue itself, and an event of the user's in it.
        struct WakeUp: ~Copyable, Sendable {
            private let descriptor: Descriptor

            init() throws(TransportError) {
                let number = kqueue()
                guard number >= 0 else { throw .system(SystemCallError("kqueue", errno)) }
                let descriptor = Descriptor(owning: number)
                var event = unsafe kevent(
                    ident: 0, filter: Int16(EVFILT_USER), flags: UInt16(EV_ADD | EV_CLEAR), fflags: 0, data: 0,
                    udata: nil)
                guard unsafe kevent(number, &event, 1, nil, 0, nil) == 0 else {
                    throw .system(SystemCallError("kevent", errno))
                }
                self.descriptor = descriptor
            }

            var number: Int32 { descriptor.number }

            /// Ends the wait, or the next one.
            func signal() {
                var event = unsafe kevent(
                    ident: 0, filter: Int16(EVFILT_USER), flags: 0, fflags: UInt32(NOTE_TRIGGER), data: 0, udata: nil)
                _ = unsafe kevent(descriptor.number, &event, 1, nil, 0, nil)
            }

            /// The event has cleared itself.
            func clear() {}
        }

        /// - Parameters:
        ///   - capacity: How many sockets one wait tells of at most.
        ///   - wakeUp: What ends a wait; it must outlive the poller.
        init(capacity: Int, wakeUp: borrowing WakeUp) throws(TransportError) {
            queue = wakeUp.number
            unsafe events = .allocate(capacity: capacity)
        }

        deinit {
            unsafe events.deallocate()
        }

        /// Watches a socket; `tag` comes back when something has become of it.
        @unsafe
        func watch(_ descriptor: Int32, tag: UnsafeMutableRawPointer) throws(TransportError) {
            guard unsafe change(descriptor, EV_ADD | EV_CLEAR, tag) == 0 else {
                let code = errno
                // The first filter may have been taken, and would go on to name the tag.
                unwatch(descriptor)
                throw .system(SystemCallError("kevent", code))
            }
        }

        /// Watches a socket no longer.
        func unwatch(_ descriptor: Int32) {
            // It fails only for a socket that is not watched.
            _ = unsafe change(descriptor, EV_DELETE, nil)
        }

        @unsafe
        private func change(_ descriptor: Int32, _ flags: Int32, _ tag: UnsafeMutableRawPointer?) -> Int32 {
            // In this order, because of a second filter libkqueue (2.7) knows what it may be ready for and no more: for
            // writing that is all, for reading an end that comes with the last bytes would be lost.
            var changes = unsafe [EVFILT_WRITE, EVFILT_READ].map { filter in
                unsafe kevent(
                    ident: UInt(descriptor), filter: Int16(filter), flags: UInt16(flags), fflags: 0, data: 0,
                    udata: tag)
            }
            return unsafe kevent(queue, &changes, Int32(changes.count), nil, 0, nil)
        }

        /// Waits until something happens or the time is over.
        ///
        /// - Parameter nanoseconds: How long to wait; 0 not at all, negative for ever.
        /// - Returns: How many events there are.
        func wait(nanoseconds: Int64) -> Int {
            // Darwin refuses more than 100,000,000 seconds; waking up too early would only mean to wait again.
            let limited = min(nanoseconds, 3_600_000_000_000)
            var time = timespec(tv_sec: Int(limited / 1_000_000_000), tv_nsec: Int(limited % 1_000_000_000))
            let count = unsafe withUnsafePointer(to: &time) { time in
                unsafe kevent(queue, nil, 0, events.baseAddress, Int32(events.count), nanoseconds < 0 ? nil : time)
            }
            // A process that was stopped for a while is told of that first, and of its sockets when it asks again.
            if count < 0, errno == EINTR, nanoseconds != 0 { return wait(nanoseconds: 0) }
            return max(0, Int(count))
        }

        /// The event at `index`, of those of the last wait; a nil tag stands for the wake-up.
        @unsafe
        func event(_ index: Int) -> (tag: UnsafeMutableRawPointer?, readiness: Readiness) {
            let event = unsafe events[index]
            guard unsafe Int32(event.filter) == EVFILT_READ else { return unsafe (event.udata, .writable) }
            // That nothing can be written any more says nothing of the peer: this side may have ended its output.
            return unsafe (event.udata, Int32(event.flags) & EV_EOF == 0 ? .readable : [.readable, .ended])
        }
    }
#endif
