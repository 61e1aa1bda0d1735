// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TLSPEM {
    /// The most that a file may hold, in bytes: the roots of Debian have 220 KB.
    private static let byteLimit = 16 * 1024 * 1024

    /// What the PEM consists of.
    ///
    /// - Throws: ``TLSError/unreadableFile(path:code:)``; for a file over the limit the code is `EFBIG`.
    func load() throws(TLSError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .file(let path): try Self.load(path)
        }
    }

    private static func load(_ path: String) throws(TLSError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadableFile(path: path, code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            // SAFETY: as many bytes as the array has.
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
            let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 || errno != EINTR { return count }
        }
    }
}
