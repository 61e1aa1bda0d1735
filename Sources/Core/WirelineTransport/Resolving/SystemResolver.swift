// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's resolver, as configured: hosts file, DNS servers and so on.
///
/// It can block for seconds on a bad network, so it runs on up to sixteen threads of its own, not on loops. Equal
/// questions that wait share an answer. A waiting question is dropped when its callers leave; a running one
/// continues. If 1,000 different ones wait, another one fails with ``TransportError/lookupFailed(_:reason:)``. Answers
/// have no time to live. Apple's systems also report a host as unknown if it has only addresses of the other family.
public struct SystemResolver: HostResolver {
    public init() {}

    public func addresses(
        of host: String, _ family: AddressFamily
    ) async throws(TransportError) -> ResolvedAddresses {
        let loop = try EventLoopGroup.shared.nextLoop()
        return ResolvedAddresses(try await Self.addresses(of: host, family, on: loop))
    }

    /// Looks up the addresses of a host.
    ///
    /// - Parameters:
    ///   - family: The wanted family; nil: both families, in the order of RFC 6724.
    ///   - timeout: The time limit; nil: none.
    /// - Returns: The addresses; none if the host exists but has no wanted address.
    package static func addresses(
        of host: String, _ family: AddressFamily?, on loop: EventLoop, timeout: Duration? = nil
    ) async throws(TransportError) -> [SocketAddress] {
        try await Attempt.run(on: loop, timeout: timeout) { attempt throws(TransportError) in
            let ticket = try lookups.join(LookupQueue.Question(host: host, family: family)) { outcome in
                loop.execute { attempt.finish(outcome) }
            }
            attempt.cleanUp = { lookups.leave(ticket) }
        }
    }

    private static let lookups = LookupQueue(on: .shared) { question in
        Result { () throws(TransportError) in try systemAddresses(of: question.host, question.family) }
    }

    private static func systemAddresses(
        of host: String, _ family: AddressFamily?
    ) throws(TransportError) -> [SocketAddress] {
        // In C the name would end at a NUL.
        guard !host.isEmpty, !host.utf8.contains(0) else {
            throw .unknownHost(host, reason: "it is not a name")
        }
        // SAFETY: the list is this function's own until it frees it, and each entry that it leads to lives as long.
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = SystemCall.streamType
        unsafe hints.ai_family = family?.systemNumber ?? AF_UNSPEC
        var list: UnsafeMutablePointer<addrinfo>? = nil
        let code = unsafe getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            guard let failure = failure(ofCode: code, host) else { return [] }
            throw failure
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe SocketAddress(entry.pointee), !addresses.contains(address) {
                addresses.append(address)
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
    }

    /// Nil: the host has no wanted address.
    package static func failure(ofCode code: Int32, _ host: String) -> TransportError? {
        // Read `errno` before another call changes it.
        guard code != EAI_SYSTEM else { return .system(SystemCallError("getaddrinfo", errno)) }
        // SAFETY: the C library's texts for these codes are static.
        let reason = unsafe String(cString: gai_strerror(code))
        return switch code {
        case SystemCall.noData, SystemCall.noAddressOfFamily: nil
        case EAI_NONAME: .unknownHost(host, reason: reason)
        default: .lookupFailed(host, reason: reason)
        }
    }
}

extension AddressFamily {
    var systemNumber: Int32 { self == .ipv6 ? AF_INET6 : AF_INET }
}

extension SocketAddress {
    /// The address of a resolver's entry; nil if TCP does not run over its kind.
    fileprivate init?(_ entry: addrinfo) {
        var storage = sockaddr_storage()
        let byteCount = min(unsafe Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
        guard let bytes = unsafe UnsafeRawPointer(entry.ai_addr) else { return nil }
        // SAFETY: `byteCount` is at most the address's length, which the resolver gives, and the storage's size.
        unsafe withUnsafeMutableBytes(of: &storage) { storage in
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: byteCount))
        }
        guard let address = try? SocketAddress(storage, byteCount: byteCount) else { return nil }
        self = address
    }
}
