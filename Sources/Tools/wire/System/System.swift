// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

enum System {
    enum Descriptor {
        static let standardInput: Int32 = 0
        static let standardOutput: Int32 = 1
        static let standardError: Int32 = 2
    }

    /// Opens each standard descriptor that the parent process has closed.
    ///
    /// Otherwise a file that is opened later could get such a descriptor, and messages would be written into it. The
    /// replacement can be neither read nor written, like a closed descriptor.
    static func fillStandardDescriptors() {
        for descriptor in Descriptor.standardInput...Descriptor.standardError where fcntl(descriptor, F_GETFD) < 0 {
            // The system assigns the lowest free descriptor, which is this one.
            // SAFETY: the path is a C string for as long as the call lasts, and no mode is read without `O_CREAT`.
            _ = unsafe open("/dev/null", descriptor == Descriptor.standardInput ? O_WRONLY : O_RDONLY)
        }
    }

    // MARK: Reading and writing

    /// Returns at most `limit` bytes; empty at the end.
    static func read(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { room, initializedCount in
            // SAFETY: the kernel writes at most `limit` bytes into `room`, and returns the number.
            let count = repeatingInterrupted(descriptor, for: POLLIN) {
                unsafe sysRead(descriptor, room.baseAddress, limit)
            }
            if count < 0 { code = errno } else { initializedCount = count }
        }
        guard code == 0 else { throw SystemError(code: code) }
        return bytes
    }

    /// Waits until a descriptor has bytes, an error or its end. Returns false if the time has passed before that.
    ///
    /// - Parameter milliseconds: The longest wait; a negative number means no limit (default).
    static func isReadable(_ descriptor: Int32, within milliseconds: Int32 = -1) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // SAFETY: the kernel gets one request, and its count.
        return repeatingInterrupted { unsafe Int(poll(&request, 1, milliseconds)) } > 0
    }

    static func write(_ descriptor: Int32, _ bytes: [UInt8]) throws(SystemError) {
        var written = 0
        try write(descriptor, bytes, &written)
    }

    /// - Parameter written: Increased by the number of bytes written, also on failure.
    static func write(_ descriptor: Int32, _ bytes: [UInt8], _ written: inout Int) throws(SystemError) {
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { room in
                // SAFETY: `written` is less than the count of `room`.
                repeatingInterrupted(descriptor, for: POLLOUT) {
                    unsafe sysWrite(descriptor, room.baseAddress, room.count, from: written)
                }
            }
            guard count >= 0 else { throw SystemError(code: errno) }
            written += count
        }
    }

    /// - Parameter limit: The largest size, in bytes, for any kind of file. A larger file is an error.
    static func contents(ofFile path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let descriptor = try openForReading(path)
        defer { _ = sysClose(descriptor) }
        return try contents(of: descriptor, limit: limit)
    }

    /// The caller must close the descriptor.
    static func openForReading(_ path: String) throws(SystemError) -> Int32 {
        // SAFETY: the path is a C string for as long as the call lasts, and no mode is read without `O_CREAT`.
        let descriptor = repeatingInterrupted { unsafe Int(open(path, O_RDONLY | O_CLOEXEC)) }
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        return Int32(descriptor)
    }

    static func contents(of descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var result: [UInt8] = []
        while true {
            let piece = try read(descriptor, limit: 1 << 16)
            guard !piece.isEmpty else { return result }
            guard result.count + piece.count <= limit else { throw SystemError(code: EFBIG) }
            result += piece
        }
    }

    /// Writes a file, or replaces the content of an existing one.
    ///
    /// If the path is a symbolic link, the link stays and its target is written, as `protoc`, `tcpdump` and shells do.
    static func replaceFile(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let descriptor = repeatingInterrupted {
            // SAFETY: the path is a C string for as long as the call lasts.
            unsafe Int(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666))
        }
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        defer { _ = sysClose(Int32(descriptor)) }
        try write(Int32(descriptor), bytes)
    }

    static func close(_ descriptor: Int32) { _ = sysClose(descriptor) }

    /// Replaces an existing file atomically: at any time it has either the old bytes or the new ones.
    ///
    /// Its permissions do not change. If the path is a symbolic link, the link stays and its target is replaced.
    static func exchangeFile(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let target = absolutePath(of: path) ?? path
        var status = stat()
        // SAFETY: here and below, a path is a C string for as long as the call lasts, and `stat` fills a status of its
        // own type.
        guard unsafe stat(target, &status) == 0 else { throw SystemError(code: errno) }
        let temporary = "\(target).\(getpid()).tmp"
        let descriptor = repeatingInterrupted {
            unsafe Int(open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
        }
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        do throws(SystemError) {
            defer { _ = sysClose(Int32(descriptor)) }
            try write(Int32(descriptor), bytes)
            guard fchmod(Int32(descriptor), status.st_mode & 0o7777) == 0, fsync(Int32(descriptor)) == 0 else {
                throw SystemError(code: errno)
            }
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        guard unsafe rename(temporary, target) == 0 else {
            let code = errno
            unsafe unlink(temporary)
            throw SystemError(code: code)
        }
    }

    // MARK: Folders

    enum FileKind {
        case file, folder, other
    }

    /// Returns the kind after following symbolic links; nil if nothing exists there.
    static func kind(of path: String) throws(SystemError) -> FileKind? {
        var status = stat()
        // SAFETY: the path is a C string for as long as the call lasts, and `stat` fills a status of its own type.
        guard unsafe stat(path, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw SystemError(code: errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// Returns the names in byte order, without those that begin with a dot.
    static func names(inFolder path: String) throws(SystemError) -> [String] {
        // SAFETY: the folder is this function's own, and open until `closedir` at its end.
        guard let folder = unsafe opendir(path) else { throw SystemError(code: errno) }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            // SAFETY: readdir's name ends in a NUL inside the entry, which is valid until the next call.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Makes the folder and its missing parents.
    static func makeFolder(_ path: String) throws(SystemError) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
            // SAFETY: the path is a C string for as long as the call lasts.
            guard unsafe mkdir(String(path[..<end]), 0o777) != 0 else { continue }
            let code = errno
            guard try kind(of: String(path[..<end])) == .folder else {
                throw SystemError(code: code == EEXIST ? ENOTDIR : code)
            }
        }
    }

    /// Returns the path without symbolic links, `.` and `..`; nil if nothing exists there.
    static func absolutePath(of path: String) -> String? {
        // SAFETY: `realpath` has allocated the text, which is freed once, at the end of this function.
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        // SAFETY: realpath returned a string that ends in a NUL.
        return unsafe String(cString: resolved)
    }

    // MARK: The process

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    static func environment(_ name: String) -> String? {
        // SAFETY: nothing in this process changes the environment.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    static func exit(_ status: ExitStatus) -> Never {
        _exit(status.rawValue)
    }

    /// Repeats a call while signals interrupt it.
    static func repeatingInterrupted(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// Repeats a call that would block, after waiting. A pipe is non-blocking here if another process has set this.
    private static func repeatingInterrupted(
        _ descriptor: Int32, for events: some BinaryInteger, _ call: () -> Int
    ) -> Int {
        while true {
            let result = repeatingInterrupted(call)
            guard result < 0, errno == EAGAIN else { return result }
            var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            // SAFETY: the kernel gets one request, and its count.
            _ = unsafe poll(&request, 1, -1)
        }
    }
}

struct SystemError: Error, Equatable {
    /// The value of `errno`.
    let code: Int32

    var reason: String {
        // SAFETY: `strerror_r` gets the buffer with its size; on success it has written a text that ends in a NUL.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let text = buffer.baseAddress, unsafe strerror_r(code, text, buffer.count) == 0
            else { return "error \(code)" }
            return unsafe String(cString: text)
        }
    }

    var isTooLarge: Bool { code == EFBIG }

    var isPresent: Bool { code == EEXIST }

    var isBrokenPipe: Bool { code == EPIPE }
}

private func sysClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func sysRead(_ descriptor: Int32, _ room: UnsafeMutablePointer<UInt8>?, _ byteCount: Int) -> Int {
    // SAFETY: the callers give memory for as many bytes as they say, and `read` writes no more.
    unsafe read(descriptor, room, byteCount)
}

private func sysWrite(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ byteCount: Int, from start: Int
) -> Int {
    // SAFETY: the callers give as many bytes as they say, and `start` is at most their count.
    unsafe write(descriptor, bytes.map { unsafe $0 + start }, byteCount - start)
}
