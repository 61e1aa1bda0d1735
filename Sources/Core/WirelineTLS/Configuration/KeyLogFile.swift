// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

final class KeyLogFile: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws(TLSError) {
        // A pipe without a reader would block the call without `O_NONBLOCK`.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = openFile(path, flags, 0o600)
        guard descriptor >= 0 else { throw .unusableKeyLog(path: path, code: errno) }
        // SAFETY: the call fills the status, which holds plain numbers.
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else {
            close(descriptor)
            throw .exposedKeyLog(path: path)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Appends a line with one call, so that lines of several threads and processes do not mix.
    func append(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            // SAFETY: the buffer is the array's, with its byte count.
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

// SAFETY: the path is a C string for as long as the call lasts, and the mode has the type that C promotes.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { unsafe open(path, flags, mode) }
