// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One end of a TCP connection: an IP address and a port.
///
/// Its description is `127.0.0.1:9001` or, for an IPv6 address, `[::1]:9001`.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the address as two numbers, most significant first; an IPv4 address is at the start of `high`.
    ///
    /// An array would cost an allocation for every connection.
    private let (high, low): (UInt64, UInt64)
    private let isIPv4: Bool
    /// The port; with port 0 the system chooses one when a server begins to listen.
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

    /// The bytes of the address, in network byte order: 4 (IPv4) or 16 (IPv6).
    public var bytes: [UInt8] {
        let all = [high, low].flatMap { number in
            (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
        }
        return isIPv4 ? Array(all.prefix(4)) : all
    }

    /// The IPv4 loopback address, which only programs on this machine reach.
    public static func loopback(port: UInt16) -> SocketAddress {
        SocketAddress(bytes: [127, 0, 0, 1], port: port, scope: 0)
    }

    /// Whether only programs on this machine reach it: 127.0.0.0/8, also IPv4-mapped, and `::1`.
    package var isLoopback: Bool {
        if isIPv4 { return high >> 56 == 127 }
        return high == 0 && (low == 1 || low >> 24 == 0xFFFF_7F)
    }

    private init(bytes: [UInt8], port: UInt16, scope: UInt32) {
        isIPv4 = bytes.count == 4
        let all = bytes + [UInt8](repeating: 0, count: 16 - bytes.count)
        high = all[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = all[8...].reduce(0) { $0 << 8 | UInt64($1) }
        self.port = port
        self.scope = scope
    }

    /// Makes an address from its bytes, in network byte order: 4 (IPv4) or 16 (IPv6).
    package init?(bytes: [UInt8], port: UInt16) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.init(bytes: bytes, port: port, scope: 0)
    }

    /// The address family.
    public var addressFamily: AddressFamily { isIPv4 ? .ipv4 : .ipv6 }

    /// The same address with another port.
    package func withPort(_ port: UInt16) -> SocketAddress {
        SocketAddress(bytes: bytes, port: port, scope: scope)
    }

    /// The text of the address without the port, as in RFC 5952.
    public var ipAddress: String {
        // The longest text is an IPv6 address that ends in an IPv4 one, with its NUL (INET6_ADDRSTRLEN).
        // SAFETY: the buffer has the size that the call gets, and on success the call returns its text, which ends in a
        // NUL.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 46) { text in
            let pointer = unsafe bytes.withUnsafeBytes { bytes in
                unsafe inet_ntop(family, bytes.baseAddress, text.baseAddress, socklen_t(text.count))
            }
            guard let pointer = unsafe pointer else { return "" }
            return unsafe String(cString: pointer)
        }
    }

    public var description: String {
        // The zone as a number (RFC 4007 §11.2), which reaches the same link as its name.
        let zone = scope == 0 ? "" : "%\(scope)"
        return isIPv4 ? "\(ipAddress):\(port)" : "[\(ipAddress)\(zone)]:\(port)"
    }

    // MARK: System addresses

    var family: Int32 { addressFamily.systemNumber }

    init(_ storage: sockaddr_storage) throws(TransportError) {
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
        default: throw .invalidAddress
        }
    }

    @unsafe
    private static func load<Address>(_ storage: sockaddr_storage, as type: Address.Type) -> Address {
        // SAFETY: by its family the storage holds an address of this type, and it is aligned for every type.
        unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: type) }
    }

    /// Lends the address in the form that system calls take.
    @unsafe
    func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        let bytes = bytes
        if isIPv4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            // SAFETY: the address has as many bytes as `bytes`: four for IPv4.
            unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: bytes) }
            return unsafe Self.lend(&address, body)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_scope_id = scope
        // SAFETY: the address has as many bytes as `bytes`: 16 for IPv6.
        unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
        return unsafe Self.lend(&address, body)
    }

    @unsafe
    private static func lend<Address, Result>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        // SAFETY: every kind of address begins like sockaddr, and the system is told its length.
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe body(pointer, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
