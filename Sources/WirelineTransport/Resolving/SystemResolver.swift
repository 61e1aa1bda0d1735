// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system's resolver: its hosts file, its DNS servers and whatever else it is configured for.
///
/// It blocks, for seconds where a network is bad, so it is asked on threads of their own, away from the loops. Who gives
/// up is told so at once; the system goes on looking on its own. For how long an answer holds it does not say. Apple's
/// systems say that there is no such host also where it has addresses of the other family alone.
public struct SystemResolver: HostResolver {
    public init() {}

    public func addresses(
        of host: String, _ family: AddressFamily
    ) async throws(TransportError) -> ResolvedAddresses {
        let loop = try EventLoopGroup.shared.nextLoop()
        return ResolvedAddresses(try await Self.addresses(of: host, family, on: loop))
    }

    /// - Parameters:
    ///   - family: Which addresses are wanted; nil: those of both families, in the order of RFC 6724.
    ///   - timeout: How long it may take; nil: as long as the system takes.
    /// - Returns: The addresses; none where the host is known and has none that is wanted.
    static func addresses(
        of host: String, _ family: AddressFamily?, on loop: EventLoop, timeout: Duration? = nil
    ) async throws(TransportError) -> [SocketAddress] {
        try await Attempt.run(on: loop, timeout: timeout) { attempt throws(TransportError) in
            try BlockingCalls.shared.run {
                let outcome = Result { () throws(TransportError) in try systemAddresses(of: host, family) }
                loop.execute { attempt.finish(outcome) }
            }
        }
    }

    private static func systemAddresses(
        of host: String, _ family: AddressFamily?
    ) throws(TransportError) -> [SocketAddress] {
        // For C the name would end at a NUL.
        guard !host.isEmpty, !host.utf8.contains(0) else {
            throw .unknownHost(host, reason: "it is not a name")
        }
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

    /// Why `getaddrinfo` has found no address, by its code; nil: the host has none that is wanted.
    package static func failure(ofCode code: Int32, _ host: String) -> TransportError? {
        // Before another call changes it.
        guard code != EAI_SYSTEM else { return .system(SystemCallError("getaddrinfo", errno)) }
        let reason = unsafe String(cString: gai_strerror(code))
        return switch code {
        case SystemCall.noData, SystemCall.noAddressOfFamily: nil
        case EAI_NONAME: .unknownHost(host, reason: reason)
        default: .lookupFailed(host, reason: reason)
        }
    }
}

extension AddressFamily {
    /// What the system calls it.
    var systemNumber: Int32 { self == .ipv6 ? AF_INET6 : AF_INET }
}

extension SocketAddress {
    /// The address in an entry of the resolver's; nil where it is of a kind that TCP does not run over.
    fileprivate init?(_ entry: addrinfo) {
        var storage = sockaddr_storage()
        let byteCount = min(unsafe Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
        guard let bytes = unsafe UnsafeRawPointer(entry.ai_addr) else { return nil }
        // SAFETY: the resolver says how many bytes the address has, and no more than the storage has are copied.
        unsafe withUnsafeMutableBytes(of: &storage) { storage in
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: byteCount))
        }
        guard let address = try? SocketAddress(storage) else { return nil }
        self = address
    }
}
