// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CWirelineSystem
    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    /// Waits for sockets to become ready, with epoll.
    ///
    /// Sockets are registered once and reported only when something has changed (`EPOLLET`), so no system call turns
    /// interest on and off. The owner of a socket remembers what is ready.
    @safe
    struct Poller: ~Copyable {
        private let epoll: Descriptor
        private let events: UnsafeMutableBufferPointer<epoll_event>

        /// The largest number of sockets that one wait reports.
        ///
        /// SAFETY: this reads only the buffer's count.
        var capacity: Int { unsafe events.count }

        /// Ends another thread's wait.
        struct WakeUp: ~Copyable, Sendable {
            private let descriptor: Descriptor

            init() throws(TransportError) {
                let number = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
                guard number >= 0 else { throw .system(SystemCallError("eventfd", errno)) }
                descriptor = Descriptor(owning: number)
            }

            var number: Int32 { descriptor.number }

            /// Ends the current wait, or the next one.
            func signal() {
                var one: UInt64 = 1
                // It fails only after 2⁶⁴ − 2 signals that were not read.
                // SAFETY: the value has the eight bytes that are written.
                _ = unsafe write(descriptor.number, &one, 8)
            }

            func clear() {
                var count: UInt64 = 0
                // SAFETY: the value has space for the eight bytes that are read.
                _ = unsafe read(descriptor.number, &count, 8)
            }
        }

        /// - Parameters:
        ///   - capacity: The largest number of sockets that one wait reports.
        ///   - wakeUp: Ends a wait; it must outlive the poller.
        init(capacity: Int, wakeUp: borrowing WakeUp) throws(TransportError) {
            let number = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard number >= 0 else { throw .system(SystemCallError("epoll_create1", errno)) }
            let descriptor = Descriptor(owning: number)
            // SAFETY: the call copies the event; a nil tag names the wake-up.
            var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(ptr: nil))
            guard unsafe epoll_ctl(number, EPOLL_CTL_ADD, wakeUp.number, &event) == 0 else {
                throw .system(SystemCallError("epoll_ctl", errno))
            }
            epoll = descriptor
            unsafe events = .allocate(capacity: capacity)
        }

        deinit {
            // SAFETY: no other code has the memory, and the value cannot be copied.
            unsafe events.deallocate()
        }

        /// Watches a socket; events on it carry `tag`.
        @unsafe
        func watch(_ descriptor: Int32, tag: UnsafeMutableRawPointer) throws(TransportError) {
            let input = EPOLLIN.rawValue | EPOLLPRI.rawValue | EPOLLRDHUP.rawValue
            let interest = input | EPOLLOUT.rawValue | EPOLLET.rawValue
            // SAFETY: the tag's object lives until the end of the turn in which the caller unwatches the socket.
            var event = unsafe epoll_event(events: interest, data: epoll_data_t(ptr: tag))
            guard unsafe epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
                throw .system(SystemCallError("epoll_ctl", errno))
            }
        }

        func unwatch(_ descriptor: Int32) {
            // It fails only for a socket that is not watched.
            _ = epoll_ctl(epoll.number, EPOLL_CTL_DEL, descriptor, nil)
        }

        /// Waits until something happens or the time is over.
        ///
        /// - Parameter nanoseconds: How long to wait; 0: not at all; negative: without a limit.
        /// - Returns: The number of events.
        func wait(nanoseconds: Int64) -> Int {
            // Rounded up: after waking up too early, the loop would only wait again.
            let milliseconds = nanoseconds < 0 ? -1 : min((nanoseconds + 999_999) / 1_000_000, 3_600_000)
            // SAFETY: the system writes at most as many events as the buffer has.
            let count = unsafe epoll_wait(
                epoll.number, events.baseAddress, Int32(events.count), Int32(milliseconds))
            // After the process was stopped, this call fails with EINTR, and only the next one reports the sockets.
            if count < 0, errno == EINTR, nanoseconds != 0 { return wait(nanoseconds: 0) }
            return max(0, Int(count))
        }

        /// The event at `index` of the last wait; a nil tag means the wake-up.
        @unsafe
        func event(_ index: Int) -> (tag: UnsafeMutableRawPointer?, readiness: Readiness) {
            // SAFETY: the index is less than the count of the last wait, so the system has written this event, with a
            // pointer as its data.
            let event = unsafe events[index]
            let bits = unsafe event.events
            let over = EPOLLERR.rawValue | EPOLLHUP.rawValue
            var readiness: Readiness = []
            if bits & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | over) != 0 { readiness.insert(.readable) }
            if bits & (EPOLLOUT.rawValue | over) != 0 { readiness.insert(.writable) }
            // One check covers the flags that most sockets never have.
            guard bits & (EPOLLRDHUP.rawValue | EPOLLPRI.rawValue | over) != 0 else {
                return unsafe (event.data.ptr, readiness)
            }
            if bits & (EPOLLRDHUP.rawValue | over) != 0 { readiness.insert(.ended) }
            if bits & EPOLLPRI.rawValue != 0 { readiness.formUnion([.readable, .urgent]) }
            if bits & EPOLLERR.rawValue != 0 { readiness.insert(.failed) }
            return unsafe (event.data.ptr, readiness)
        }
    }
#endif
