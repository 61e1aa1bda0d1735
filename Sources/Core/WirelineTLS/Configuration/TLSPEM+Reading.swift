// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TLSPEM {
    /// In bytes; the roots of Debian have 220 KB.
    private static let byteLimit = 16 * 1024 * 1024

    /// - Throws: ``TLSError/unreadableFile(path:code:)``, with the code `EFBIG` for a file over the limit;
    ///   ``TLSError/notRegularFile(path:)``.
    func load() throws(TLSError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .file(let path): try Self.load(path)
        }
    }

    private static func load(_ path: String) throws(TLSError) -> [UInt8] {
        // Without `O_NONBLOCK`, a pipe without a writer would block a server that loads its files again.
        // SAFETY: the path is a C string for as long as the call lasts, and no mode is read without `O_CREAT`.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadableFile(path: path, code: errno) }
        defer { close(descriptor) }
        var status = stat()
        // SAFETY: `fstat` fills a status of its own type.
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadableFile(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegularFile(path: path) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        // Erase the buffer: it may have held a key.
        defer {
            // SAFETY: the closure writes only to the array's own buffer, whose elements are bytes.
            unsafe piece.withUnsafeMutableBytes { piece in
                _ = unsafe piece.initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
        while true {
            // SAFETY: the buffer is the array's, with its byte count.
            let count = unsafe piece.withUnsafeMutableBytes { buffer in
                unsafe Self.readPiece(of: descriptor, into: buffer)
            }
            guard count >= 0 else { throw .unreadableFile(path: path, code: errno) }
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= byteLimit else { throw .unreadableFile(path: path, code: EFBIG) }
        }
    }

    private static func readPiece(of descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            // SAFETY: `read` writes at most as many bytes as the buffer has.
            let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }
}
