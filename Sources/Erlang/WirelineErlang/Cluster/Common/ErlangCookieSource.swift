// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a node's cookie comes from. A program that has it can run anything on any node of the cluster.
public struct ErlangCookieSource: Sendable, CustomStringConvertible, CustomReflectable {
    private enum Source {
        case text(String)
        case file(String)
    }

    private let source: Source

    /// The cookie itself, for programs that keep their secrets elsewhere than in files.
    public static func text(_ text: String) -> Self { Self(source: .text(text)) }

    /// A file that only its owner can read. Its first line is the cookie, as Erlang reads it.
    ///
    /// - Parameter path: The path; `~/` at its beginning is the home directory. Erlang's own is `~/.erlang.cookie`.
    public static func file(_ path: String) -> Self { Self(source: .file(path)) }

    /// Words without the cookie.
    public var description: String {
        switch source {
        case .text: "a cookie"
        case .file(let path): "the cookie in \(path)"
        }
    }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }

    func cookie() throws(ErlangNodeError) -> ErlangCookie {
        let text =
            switch source {
            case .text(let text): text
            case .file(let path): try Self.read(Self.expanded(path))
            }
        guard 1...255 ~= text.utf8.count, let cookie = ErlangCookie(text) else { throw .cookie(.invalid) }
        return cookie
    }

    private static func expanded(_ path: String) -> String {
        // SAFETY: the variable's text is copied before anything can change it.
        guard path.hasPrefix("~/"), let home = unsafe getenv("HOME") else { return path }
        return unsafe String(cString: home) + path.dropFirst()
    }

    private static func read(_ path: String) throws(ErlangNodeError) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .cookie(.unreadable(path: path, code: errno)) }
        defer { close(descriptor) }
        // SAFETY: the call fills the status, which holds plain numbers.
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .cookie(.unreadable(path: path, code: errno)) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
            throw .cookie(.exposed(path: path))
        }
        // Longer than any cookie, so that a wrong file is noticed.
        var bytes = [UInt8](repeating: 0, count: 1_024)
        // SAFETY: the buffer is the array's, with its byte count.
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe systemRead(descriptor, $0.baseAddress, $0.count)
        }
        guard count >= 0 else { throw .cookie(.unreadable(path: path, code: errno)) }
        // As in Erlang, the first line is the cookie, spaces included. Only line ends and spaces may follow.
        let line = bytes[..<count].prefix { 0x20...0x7E ~= $0 }
        guard bytes[line.endIndex..<count].allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D })
        else { throw .cookie(.invalid) }
        return String(decoding: line, as: UTF8.self)
    }
}

// Inside the type, `read` is its own method.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    // SAFETY: the caller gives a buffer of so many bytes.
    unsafe read(descriptor, buffer, count)
}
