// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// Waits for sockets to become ready, with kqueue.
    ///
    /// Sockets are registered once and reported only when something has changed (`EV_CLEAR`). Each has two filters, for
    /// reading and writing, with an event each: the loop allows for two events per socket.
    @safe
    struct Poller: ~Copyable {
        private let queue: Int32
        private let events: UnsafeMutableBufferPointer<kevent>

        /// The largest number of events that one wait reports.
        ///
        /// SAFETY: this reads only the buffer's count.
        var capacity: Int { unsafe events.count }

        /// Ends another thread's wait: the queue itself, and a user event in it.
        struct WakeUp: ~Copyable, Sendable {
            private let descriptor: Descriptor

            init() throws(TransportError) {
                let number = kqueue()
                guard number >= 0 else { throw .system(SystemCallError("kqueue", errno)) }
                let descriptor = Descriptor(owning: number)
                // SAFETY: the call gets one event and copies it.
                var event = unsafe kevent(
                    ident: 0, filter: Int16(EVFILT_USER), flags: UInt16(EV_ADD | EV_CLEAR), fflags: 0, data: 0,
                    udata: nil)
                guard unsafe kevent(number, &event, 1, nil, 0, nil) == 0 else {
                    throw .system(SystemCallError("kevent", errno))
                }
                self.descriptor = descriptor
            }

            var number: Int32 { descriptor.number }

            /// Ends the current wait, or the next one.
            func signal() {
                // SAFETY: the call gets one event and copies it.
                var event = unsafe kevent(
                    ident: 0, filter: Int16(EVFILT_USER), flags: 0, fflags: UInt32(NOTE_TRIGGER), data: 0, udata: nil)
                _ = unsafe kevent(descriptor.number, &event, 1, nil, 0, nil)
            }

            /// Does nothing: the event clears itself.
            func clear() {}
        }

        /// - Parameters:
        ///   - capacity: The largest number of events that one wait reports.
        ///   - wakeUp: Ends a wait; it must outlive the poller.
        init(capacity: Int, wakeUp: borrowing WakeUp) throws(TransportError) {
            queue = wakeUp.number
            // SAFETY: the memory is this value's own until `deinit`.
            unsafe events = .allocate(capacity: capacity)
        }

        deinit {
            // SAFETY: no other code has the memory, and the value cannot be copied.
            unsafe events.deallocate()
        }

        /// Watches a socket; events on it carry `tag`.
        @unsafe
        func watch(_ descriptor: Int32, tag: UnsafeMutableRawPointer) throws(TransportError) {
            // SAFETY: the tag's object lives until the end of the turn in which the caller unwatches the socket.
            guard unsafe change(descriptor, EV_ADD | EV_CLEAR, tag) == 0 else {
                let code = errno
                // The first filter may have been added, and its events would still carry the tag.
                unwatch(descriptor)
                throw .system(SystemCallError("kevent", code))
            }
        }

        func unwatch(_ descriptor: Int32) {
            // It fails only for a socket that is not watched.
            // SAFETY: without a tag, the deletion refers to no memory.
            _ = unsafe change(descriptor, EV_DELETE, nil)
        }

        @unsafe
        private func change(_ descriptor: Int32, _ flags: Int32, _ tag: UnsafeMutableRawPointer?) -> Int32 {
            // SAFETY: the call gets the array with its count, and copies the tag without using it.
            var changes = unsafe [EVFILT_WRITE, EVFILT_READ].map { filter in
                unsafe kevent(
                    ident: UInt(descriptor), filter: Int16(filter), flags: UInt16(flags), fflags: 0, data: 0,
                    udata: tag)
            }
            return unsafe kevent(queue, &changes, Int32(changes.count), nil, 0, nil)
        }

        /// Waits until something happens or the time is over.
        ///
        /// - Parameter nanoseconds: How long to wait; 0: not at all; negative: without a limit.
        /// - Returns: The number of events.
        func wait(nanoseconds: Int64) -> Int {
            // Darwin refuses more than 100,000,000 seconds. After waking up too early, the loop only waits again.
            let limited = min(nanoseconds, 3_600_000_000_000)
            var time = timespec(tv_sec: Int(limited / 1_000_000_000), tv_nsec: Int(limited % 1_000_000_000))
            // SAFETY: the system writes at most as many events as the buffer has.
            let count = unsafe withUnsafePointer(to: &time) { time in
                unsafe kevent(queue, nil, 0, events.baseAddress, Int32(events.count), nanoseconds < 0 ? nil : time)
            }
            // After the process was stopped, this call fails with EINTR, and only the next one reports the sockets.
            if count < 0, errno == EINTR, nanoseconds != 0 { return wait(nanoseconds: 0) }
            return max(0, Int(count))
        }

        /// The event at `index` of the last wait; a nil tag means the wake-up.
        @unsafe
        func event(_ index: Int) -> (tag: UnsafeMutableRawPointer?, readiness: Readiness) {
            // SAFETY: the index is less than the count of the last wait, so the system has written this event.
            let event = unsafe events[index]
            guard unsafe Int32(event.filter) == EVFILT_READ else { return unsafe (event.udata, .writable) }
            // An end of the writing side says nothing about the peer: this side may have ended its output.
            guard unsafe Int32(event.flags) & EV_EOF != 0 else { return unsafe (event.udata, .readable) }
            // The end carries the error, if there is one.
            return unsafe (event.udata, event.fflags == 0 ? [.readable, .ended] : [.readable, .ended, .failed])
        }
    }
#endif
