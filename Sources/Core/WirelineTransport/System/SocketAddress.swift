// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One end of a connection: an IP address and a port, or the path of a Unix domain socket.
///
/// Its description is `127.0.0.1:9001`, for an IPv6 address `[::1]:9001`, and for a Unix domain socket
/// `unix:/run/game.sock`. A client of a Unix domain socket usually has no path, and its description is `unix`.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    // An array would cost an allocation for every connection, and this takes no more memory than two numbers.
    private enum Storage: Hashable {
        case ipv4(UInt32)
        /// The address as two numbers, most significant first.
        case ipv6(UInt64, UInt64)
        /// The path; an abstract name begins with `@`. Empty: the socket has no name.
        case unix(String)
    }

    private let storage: Storage
    /// The port; with port 0 the system chooses one when a server begins to listen. A Unix domain socket has port 0.
    public let port: UInt16
    /// The index of the link that a link-local IPv6 address belongs to; 0 for all other addresses.
    public let scope: UInt32

    /// Makes an address from the text of an IPv4 or IPv6 address; names are not looked up.
    ///
    /// - Throws: ``TransportError/invalidAddress``.
    public init(ipAddress text: String, port: UInt16) throws(TransportError) {
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        // In C the text would end at a NUL.
        guard !text.utf8.contains(0) else { throw .invalidAddress }
        let bytes: [UInt8]
        // SAFETY: the text is a C string for as long as the call lasts, and each family's call writes an address of its
        // own type.
        if unsafe inet_pton(AF_INET, text, &ipv4) == 1 {
            bytes = unsafe withUnsafeBytes(of: &ipv4) { unsafe Array($0) }
        } else if unsafe inet_pton(AF_INET6, text, &ipv6) == 1 {
            bytes = unsafe withUnsafeBytes(of: &ipv6) { unsafe Array($0) }
        } else {
            throw .invalidAddress
        }
        self.init(bytes: bytes, port: port, scope: 0)
    }

    /// Makes the address of a Unix domain socket.
    ///
    /// - Parameter path: The path of the socket's file: at most 107 bytes of UTF-8 (Darwin: 103), without NUL. On
    ///   Linux, a path that begins with `@` is an abstract name, which has no file (unix(7)).
    /// - Throws: ``TransportError/invalidPath(_:)``.
    public init(unixPath path: String) throws(TransportError) {
        guard !path.isEmpty, path.utf8.count < Self.pathCapacity, !path.utf8.contains(0),
            !path.hasPrefix("@") || SystemCall.hasAbstractNames
        else { throw .invalidPath(path) }
        self.init(unchecked: path)
    }

    private init(unchecked path: String) {
        storage = .unix(path)
        port = 0
        scope = 0
    }

    static let unnamed = SocketAddress(unchecked: "")

    /// The bytes of an IP address, in network byte order: 4 (IPv4) or 16 (IPv6). A Unix domain socket has none.
    public var bytes: [UInt8] {
        switch storage {
        case .ipv4(let number): Self.bytes(of: number)
        case .ipv6(let high, let low): Self.bytes(of: high) + Self.bytes(of: low)
        case .unix: []
        }
    }

    private static func bytes<Number: FixedWidthInteger>(of number: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// The path of a Unix domain socket, empty if it has none; nil: an IP address.
    public var unixPath: String? { if case .unix(let path) = storage { path } else { nil } }

    /// The IPv4 loopback address, which only programs on this machine reach.
    public static func loopback(port: UInt16) -> SocketAddress {
        SocketAddress(bytes: [127, 0, 0, 1], port: port, scope: 0)
    }

    /// Whether it is an IP address that only programs on this machine reach: 127.0.0.0/8, also IPv4-mapped, and `::1`.
    package var isLoopback: Bool {
        switch storage {
        case .ipv4(let number): number >> 24 == 127
        case .ipv6(let high, let low): high == 0 && (low == 1 || low >> 24 == 0xFFFF_7F)
        case .unix: false
        }
    }

    /// Whether it is the IPv6 address of all interfaces, `::`.
    var isIPv6Wildcard: Bool { storage == .ipv6(0, 0) }

    /// - Parameter bytes: 4 or 16 bytes.
    private init(bytes: [UInt8], port: UInt16, scope: UInt32) {
        if bytes.count == 4 {
            storage = .ipv4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
        } else {
            storage = .ipv6(
                bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
        }
        self.port = port
        self.scope = scope
    }

    /// Makes an address from its bytes, in network byte order: 4 (IPv4) or 16 (IPv6).
    package init?(bytes: [UInt8], port: UInt16) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.init(bytes: bytes, port: port, scope: 0)
    }

    /// The version of the Internet protocol; nil for a Unix domain socket.
    public var addressFamily: AddressFamily? {
        switch storage {
        case .ipv4: .ipv4
        case .ipv6: .ipv6
        case .unix: nil
        }
    }

    /// A Unix domain socket stays as it is: it has no port.
    package func withPort(_ port: UInt16) -> SocketAddress {
        unixPath == nil ? SocketAddress(bytes: bytes, port: port, scope: scope) : self
    }

    /// The text of the address without the port, as in RFC 5952; empty for a Unix domain socket.
    public var ipAddress: String {
        guard unixPath == nil else { return "" }
        // The longest text is an IPv6 address that ends in an IPv4 one, with its NUL (INET6_ADDRSTRLEN).
        // SAFETY: the buffer has the size that the call gets, and on success the call returns its text, which ends in a
        // NUL.
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 46) { text in
            let pointer = unsafe bytes.withUnsafeBytes { bytes in
                unsafe inet_ntop(family, bytes.baseAddress, text.baseAddress, socklen_t(text.count))
            }
            guard let pointer = unsafe pointer else { return "" }
            return unsafe String(cString: pointer)
        }
    }

    public var description: String {
        switch storage {
        case .unix(let path): return path.isEmpty ? "unix" : "unix:" + path
        case .ipv4: return "\(ipAddress):\(port)"
        case .ipv6:
            // The zone as a number (RFC 4007 §11.2), which reaches the same link as its name.
            let zone = scope == 0 ? "" : "%\(scope)"
            return "[\(ipAddress)\(zone)]:\(port)"
        }
    }
}

/// The addresses of the system's calls.
extension SocketAddress {
    /// Includes the path's NUL.
    private static let pathCapacity = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    private static let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2

    var family: Int32 { addressFamily?.systemNumber ?? AF_UNIX }

    /// - Parameter byteCount: How many bytes of the storage the system has filled in.
    init(_ storage: sockaddr_storage, byteCount: Int) throws(TransportError) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            // SAFETY: the system has said which family it is, and the bytes of an address have no padding.
            var address = unsafe Self.load(storage, as: sockaddr_in.self)
            let bytes = unsafe withUnsafeBytes(of: &address.sin_addr) { unsafe Array($0) }
            self.init(bytes: bytes, port: UInt16(bigEndian: address.sin_port), scope: 0)
        case AF_INET6:
            var address = unsafe Self.load(storage, as: sockaddr_in6.self)
            let bytes = unsafe withUnsafeBytes(of: &address.sin6_addr) { unsafe Array($0) }
            self.init(bytes: bytes, port: UInt16(bigEndian: address.sin6_port), scope: address.sin6_scope_id)
        case AF_UNIX:
            let end = min(byteCount, Self.pathOffset + Self.pathCapacity)
            // SAFETY: the storage is larger than the structure of a Unix domain socket's address.
            let name = unsafe withUnsafeBytes(of: storage) { unsafe Array($0[min(Self.pathOffset, end)..<end]) }
            // An abstract name ends where the address does, and may contain NULs.
            let isAbstract = name.first == 0 && name.count > 1
            self.init(
                unchecked: (isAbstract ? "@" : "") + Self.text(isAbstract ? name.dropFirst() : name.prefix { $0 != 0 }))
        default: throw .invalidAddress
        }
    }

    /// NULs fill up the field.
    init(unixName name: ArraySlice<UInt8>) {
        let isAbstract = name.first == 0 && name.contains { $0 != 0 }
        let text = (isAbstract ? name.dropFirst() : name).prefix { $0 != 0 }
        self.init(unchecked: (isAbstract ? "@" : "") + Self.text(text))
    }

    /// System calls cut a name to the bytes that fit.
    private static func text(_ name: ArraySlice<UInt8>) -> String { String(decoding: name, as: UTF8.self) }

    @unsafe
    private static func load<Address>(_ storage: sockaddr_storage, as type: Address.Type) -> Address {
        // SAFETY: by its family the storage holds an address of this type, and it is aligned for every type.
        unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: type) }
    }

    /// Lends the address in the form that system calls take.
    @unsafe
    func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        let bytes = bytes
        switch storage {
        case .ipv4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            // SAFETY: the address has as many bytes as `bytes`: four for IPv4.
            unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: bytes) }
            return unsafe Self.lend(&address, MemoryLayout<sockaddr_in>.size, body)
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            // SAFETY: the address has as many bytes as `bytes`: 16 for IPv6.
            unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
            return unsafe Self.lend(&address, MemoryLayout<sockaddr_in6>.size, body)
        case .unix(let text):
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var path = Array(text.utf8.prefix(Self.pathCapacity - 1))
            // An abstract name begins with a NUL and ends with its last byte; a path ends with a NUL (unix(7)).
            let isAbstract = path.first == UInt8(ascii: "@")
            if isAbstract { path[0] = 0 }
            // SAFETY: the path fits, with its NUL: it has been cut to that above.
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
            return unsafe Self.lend(&address, Self.pathOffset + path.count + (isAbstract ? 0 : 1), body)
        }
    }

    @unsafe
    private static func lend<Address, Result>(
        _ address: inout Address, _ byteCount: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        // SAFETY: every kind of address begins like sockaddr, and the system is told how many of its bytes count.
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe body(pointer, socklen_t(byteCount))
            }
        }
    }
}
