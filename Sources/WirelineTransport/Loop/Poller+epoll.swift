// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import CWirelineSystem
    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    /// Waits for sockets to become ready, over epoll.
    ///
    /// Sockets are watched once and for all, and told of only when something has changed (`EPOLLET`): no system call is
    /// ever made to turn interest on and off. What is ready is remembered by who owns the socket.
    @safe
    struct Poller: ~Copyable {
        private let epoll: Descriptor
        private let events: UnsafeMutableBufferPointer<epoll_event>

        /// How many sockets one wait tells of at most.
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

            /// Ends the wait, or the next one.
            func signal() {
                var one: UInt64 = 1
                // It fails only when it has been signalled 2⁶⁴ − 2 times without having been heard.
                _ = unsafe write(descriptor.number, &one, 8)
            }

            func clear() {
                var count: UInt64 = 0
                _ = unsafe read(descriptor.number, &count, 8)
            }
        }

        /// - Parameters:
        ///   - capacity: How many sockets one wait tells of at most.
        ///   - wakeUp: What ends a wait; it must outlive the poller.
        init(capacity: Int, wakeUp: borrowing WakeUp) throws(TransportError) {
            let number = epoll_create1(Int32(EPOLL_CLOEXEC))
            guard number >= 0 else { throw .system(SystemCallError("epoll_create1", errno)) }
            let descriptor = Descriptor(owning: number)
            var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(ptr: nil))
            guard unsafe epoll_ctl(number, EPOLL_CTL_ADD, wakeUp.number, &event) == 0 else {
                throw .system(SystemCallError("epoll_ctl", errno))
            }
            epoll = descriptor
            unsafe events = .allocate(capacity: capacity)
        }

        deinit {
            unsafe events.deallocate()
        }

        /// Watches a socket; `tag` comes back when something has become of it.
        @unsafe
        func watch(_ descriptor: Int32, tag: UnsafeMutableRawPointer) throws(TransportError) {
            let interest = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
            var event = unsafe epoll_event(events: interest, data: epoll_data_t(ptr: tag))
            guard unsafe epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
                throw .system(SystemCallError("epoll_ctl", errno))
            }
        }

        /// Watches a socket no longer.
        func unwatch(_ descriptor: Int32) {
            // It fails only for a socket that is not watched.
            _ = epoll_ctl(epoll.number, EPOLL_CTL_DEL, descriptor, nil)
        }

        /// Waits until something happens or the time is over.
        ///
        /// - Parameter nanoseconds: How long to wait; 0 not at all, negative for ever.
        /// - Returns: How many events there are.
        func wait(nanoseconds: Int64) -> Int {
            // Rounded up: waking up a moment too early would only mean to wait again.
            let milliseconds = nanoseconds < 0 ? -1 : min((nanoseconds + 999_999) / 1_000_000, 3_600_000)
            let count = unsafe epoll_wait(
                epoll.number, events.baseAddress, Int32(events.count), Int32(milliseconds))
            // A process that was stopped for a while is told of that first, and of its sockets when it asks again.
            if count < 0, errno == EINTR, nanoseconds != 0 { return wait(nanoseconds: 0) }
            return max(0, Int(count))
        }

        /// The event at `index`, of those of the last wait; a nil tag stands for the wake-up.
        @unsafe
        func event(_ index: Int) -> (tag: UnsafeMutableRawPointer?, readiness: Readiness) {
            let event = unsafe events[index]
            let bits = unsafe event.events
            let failed = EPOLLERR.rawValue | EPOLLHUP.rawValue
            var readiness: Readiness = []
            if bits & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | failed) != 0 { readiness.insert(.readable) }
            if bits & (EPOLLOUT.rawValue | failed) != 0 { readiness.insert(.writable) }
            if bits & (EPOLLRDHUP.rawValue | failed) != 0 { readiness.insert(.ended) }
            return unsafe (event.data.ptr, readiness)
        }
    }
#endif
