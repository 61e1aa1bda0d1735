// SPDX-License-Identifier: Apache-2.0

/// One `.wire` file as it was read, not yet parsed.
public struct SourceFile: Equatable, Sendable {
    /// The path that diagnostics and ``SourceLocation/file`` show.
    public var path: String
    /// The file's bytes: UTF-8, with or without a byte order mark; lines end in LF, CRLF or CR.
    public var bytes: [UInt8]

    /// Makes a file of bytes that the caller has read.
    public init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }
}
