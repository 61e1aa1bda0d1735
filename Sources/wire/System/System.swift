// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the command line asks of the operating system: every call stands here.
enum System {
    /// A file's descriptor that every process has.
    enum Descriptor {
        static let standardInput: Int32 = 0
        static let standardOutput: Int32 = 1
        static let standardError: Int32 = 2
    }

    /// Fills the places of the descriptors that every process has, where whoever has started this one has closed them: what
    /// is opened next would stand there, and messages for people would be written into it. What stands there instead can
    /// neither be read nor written, as if the place were empty.
    static func fillStandardDescriptors() {
        for descriptor in Descriptor.standardInput...Descriptor.standardError where fcntl(descriptor, F_GETFD) < 0 {
            // The system takes the lowest place that is free, which is this one.
            _ = unsafe open("/dev/null", descriptor == Descriptor.standardInput ? O_WRONLY : O_RDONLY)
        }
    }

    // MARK: Reading and writing

    /// The next bytes, at most `limit`; empty at the end.
    static func read(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { room, initializedCount in
            // SAFETY: the kernel writes at most `limit` bytes into `room`, and says how many.
            let count = repeatingInterrupted(descriptor, for: POLLIN) {
                unsafe sysRead(descriptor, room.baseAddress, limit)
            }
            if count < 0 { code = errno } else { initializedCount = count }
        }
        guard code == 0 else { throw SystemError(code: code) }
        return bytes
    }

    /// Writes all the bytes.
    static func write(_ descriptor: Int32, _ bytes: [UInt8]) throws(SystemError) {
        var written = 0
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

    /// All bytes of a file.
    ///
    /// - Parameter limit: More bytes than that are an error, whatever else the file may be.
    static func contents(ofFile path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let descriptor = repeatingInterrupted { unsafe Int(open(path, O_RDONLY | O_CLOEXEC)) }
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        defer { _ = sysClose(Int32(descriptor)) }
        return try contents(of: Int32(descriptor), limit: limit)
    }

    /// All bytes up to the end of a descriptor.
    static func contents(of descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var result: [UInt8] = []
        while true {
            let piece = try read(descriptor, limit: 1 << 16)
            guard !piece.isEmpty else { return result }
            guard result.count + piece.count <= limit else { throw SystemError(code: EFBIG) }
            result += piece
        }
    }

    /// Makes a file of these bytes, in place of one that may be there.
    static func replaceFile(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let descriptor = repeatingInterrupted {
            unsafe Int(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666))
        }
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        defer { _ = sysClose(Int32(descriptor)) }
        try write(Int32(descriptor), bytes)
    }

    /// Makes an empty file, in place of one that may be there, that only its owner can read.
    ///
    /// - Returns: A descriptor, for ``write(_:_:)`` and ``close(_:)``.
    static func makeFile(_ path: String) throws(SystemError) -> Int32 {
        let descriptor = repeatingInterrupted {
            unsafe Int(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
        }
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        return Int32(descriptor)
    }

    /// Closes a descriptor.
    static func close(_ descriptor: Int32) { _ = sysClose(descriptor) }

    /// Puts a file of these bytes in the place of one that is there: it has either the old bytes or the new ones, whatever
    /// happens. Its permissions stay; a link to it stays a link.
    static func exchangeFile(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let target = absolutePath(of: path) ?? path
        var status = stat()
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

    /// What a path names.
    enum FileKind {
        case file, folder, other
    }

    /// What stands at a path, symbolic links followed; nil where nothing does.
    static func kind(of path: String) throws(SystemError) -> FileKind? {
        var status = stat()
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

    /// The names in a folder, in the order of their bytes, without those that begin with a dot.
    static func names(inFolder path: String) throws(SystemError) -> [String] {
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

    /// Makes a folder and those above it, where they are missing.
    static func makeFolder(_ path: String) throws(SystemError) {
        var end = path.startIndex
        while end < path.endIndex {
            end = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
            guard unsafe mkdir(String(path[..<end]), 0o777) != 0 else { continue }
            let code = errno
            guard try kind(of: String(path[..<end])) == .folder else {
                throw SystemError(code: code == EEXIST ? ENOTDIR : code)
            }
        }
    }

    /// The path from the root, without links and dots; nil where nothing stands there.
    static func absolutePath(of path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        // SAFETY: realpath returned a string that ends in a NUL.
        return unsafe String(cString: resolved)
    }

    // MARK: The process

    /// Whether somebody is looking.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// A variable of the environment.
    static func environment(_ name: String) -> String? {
        // SAFETY: nothing in this process changes the environment.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    /// What time it is, in UTC without leap seconds.
    static var microsecondsSince1970: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec / 1_000)
    }

    /// Ends the process.
    static func exit(_ status: ExitStatus) -> Never {
        _exit(status.rawValue)
    }

    private static func repeatingInterrupted(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// Waits where a call would not: a pipe that another process made non-blocking is so for us too.
    private static func repeatingInterrupted(
        _ descriptor: Int32, for events: some BinaryInteger, _ call: () -> Int
    ) -> Int {
        while true {
            let result = repeatingInterrupted(call)
            guard result < 0, errno == EAGAIN else { return result }
            var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            _ = unsafe poll(&request, 1, -1)
        }
    }
}

/// Why the system refused something.
struct SystemError: Error, Equatable {
    /// `errno`.
    let code: Int32

    /// The system's words for it.
    var reason: String {
        // SAFETY: strerror gives a string that ends in a NUL; the process has one thread that calls it.
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }

    /// Whether nobody reads any more what we write.
    var isBrokenPipe: Bool { code == EPIPE }
}

private func sysClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func sysRead(_ descriptor: Int32, _ room: UnsafeMutablePointer<UInt8>?, _ byteCount: Int) -> Int {
    unsafe read(descriptor, room, byteCount)
}

private func sysWrite(
    _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ byteCount: Int, from start: Int
) -> Int {
    unsafe write(descriptor, bytes.map { unsafe $0 + start }, byteCount - start)
}
