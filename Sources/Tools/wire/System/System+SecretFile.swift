// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension System {
    /// Opens a file that only its owner may read, and writes the first bytes.
    ///
    /// A regular file is always a new one, with mode 0600. So a user who has made or opened a file at this path before
    /// cannot read the content. A pipe or a device is written to directly, and so are paths in `/dev` and `/proc`, such
    /// as `/dev/stdout`.
    ///
    /// - Parameter isReplacing: Whether an existing file or symbolic link is replaced, whatever its mode.
    /// - Returns: A descriptor for ``write(_:_:)`` and ``close(_:)``.
    /// - Throws: `EEXIST` if a file exists and must not be replaced.
    static func makeSecretFile(
        _ path: String, beginning: [UInt8], replacing isReplacing: Bool
    ) throws(SystemError) -> Int32 {
        if try isPipeOrDevice(path) {
            let descriptor = try open(path, O_WRONLY | O_TRUNC)
            try write(descriptor, beginning, orCloseAnd: {})
            return descriptor
        }
        // A replacement is first made under another name, so that the old file stays if this fails.
        let name = isReplacing ? "\(path).\(getpid()).tmp" : path
        let descriptor = try open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        // SAFETY: here and below, paths are C strings for as long as the calls last.
        func removeFile() { _ = unsafe unlink(name) }
        try write(descriptor, beginning, orCloseAnd: removeFile)
        guard unsafe !isReplacing || rename(name, path) == 0 else {
            let error = SystemError(code: errno)
            close(descriptor)
            removeFile()
            throw error
        }
        return descriptor
    }

    /// Cuts a regular file after `byteCount` bytes. Does nothing to other files.
    static func cut(_ descriptor: Int32, behind byteCount: Int) {
        _ = repeatingInterrupted { Int(ftruncate(descriptor, off_t(byteCount))) }
    }

    /// Whether the path must be written to directly, because it cannot be replaced.
    private static func isPipeOrDevice(_ path: String) throws(SystemError) -> Bool {
        let kind = try kind(of: path)
        if kind == .folder { throw SystemError(code: EISDIR) }
        if kind == .other { return true }
        // Links in these folders lead to open files. Files in `/dev/shm` are ordinary regular files.
        let folder = absolutePath(of: path.lastIndex(of: "/").map { "\(path[...$0])" } ?? ".") ?? ""
        let names = folder.split(separator: "/")
        return names.first == "proc" || names.first == "dev" && names.dropFirst().first != "shm"
    }

    private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Int32 {
        let descriptor = repeatingInterrupted { Int(sysOpen(path, flags | O_CLOEXEC, 0o600)) }
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        return Int32(descriptor)
    }

    private static func write(
        _ descriptor: Int32, _ bytes: [UInt8], orCloseAnd undo: () -> Void
    ) throws(SystemError) {
        do throws(SystemError) {
            try write(descriptor, bytes)
        } catch {
            close(descriptor)
            undo()
            throw error
        }
    }
}

// SAFETY: the path is a C string for as long as the call lasts, and the mode has the type that C promotes.
private func sysOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { unsafe open(path, flags, mode) }
