// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct SocketFile {
    let path: String
    private let device: dev_t
    private let number: ino_t
    private let isSocket: Bool

    /// Nil if there is no file at the path.
    init?(at path: String) {
        var status = stat()
        // SAFETY: the path is a C string for as long as the call lasts, and the call fills a structure of its own type.
        guard unsafe lstat(path, &status) == 0 else { return nil }
        self.path = path
        (device, number) = (status.st_dev, status.st_ino)
        isSocket = status.st_mode & S_IFMT == S_IFSOCK
    }

    func setMode(_ mode: UInt16) throws(TransportError) {
        // SAFETY: the path is a C string for as long as the call lasts.
        guard unsafe chmod(path, mode_t(mode)) == 0 else { throw .system(SystemCallError("chmod", errno)) }
    }

    /// Removes the file, unless another one is at its path now.
    func remove() {
        guard let file = SocketFile(at: path), (file.device, file.number) == (device, number) else { return }
        // SAFETY: the path is a C string for as long as the call lasts. It fails if somebody else has removed it.
        _ = unsafe unlink(path)
    }

    /// Removes the file of a server that has ended without removing it.
    ///
    /// - Returns: Whether the path is free now; false if a server listens there.
    /// - Throws: ``TransportError/notASocket(_:)``.
    static func removeStale(at address: SocketAddress) throws(TransportError) -> Bool {
        guard let path = address.unixPath, let file = SocketFile(at: path) else { return true }
        guard file.isSocket else { throw .notASocket(path) }
        let probe = try SystemCall.makeSocket(for: address)
        do throws(TransportError) {
            // A full queue is an error, too.
            _ = try SystemCall.connect(probe.number, to: address)
            return false
        } catch {
            guard error == .refused else { return false }
        }
        file.remove()
        return true
    }
}
