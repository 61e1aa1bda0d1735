// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Looks names up with the system's resolver, away from the loops: it blocks, for seconds where a network is bad.
enum NameLookup {
    /// The addresses of a host, in the order in which they should be tried (RFC 6724); the text of an IP address is one
    /// of its own, without asking anybody.
    ///
    /// - Throws: ``TransportError/unknownHost(_:reason:)``, ``TransportError/timedOut``, ``TransportError/cancelled``. The
    ///   system goes on looking then, on its own.
    static func addresses(
        of host: String, port: UInt16, on loop: EventLoop, timeout: Duration
    ) async throws(TransportError) -> [SocketAddress] {
        if let address = try? SocketAddress(ipAddress: host, port: port) { return [address] }
        return try await Attempt.run(on: loop, timeout: timeout) { attempt throws(TransportError) in
            try BlockingCalls.shared.run {
                let outcome = Result { () throws(TransportError) in try systemAddresses(of: host, port: port) }
                loop.execute { attempt.finish(outcome) }
            }
        }
    }

    private static func systemAddresses(of host: String, port: UInt16) throws(TransportError) -> [SocketAddress] {
        // For C the name would end at a NUL.
        guard !host.isEmpty, !host.utf8.contains(0) else {
            throw .unknownHost(host, reason: "it is not a name")
        }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = SystemCall.streamType
        var list: UnsafeMutablePointer<addrinfo>? = nil
        let code = unsafe getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            if code == EAI_SYSTEM { throw .system(SystemCallError("getaddrinfo", errno)) }
            throw .unknownHost(host, reason: unsafe String(cString: gai_strerror(code)))
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe SocketAddress(entry.pointee, port: port), !addresses.contains(address) {
                addresses.append(address)
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
    }
}

extension SocketAddress {
    /// The address in an entry of the resolver's; nil where it is of a kind that TCP does not run over.
    fileprivate init?(_ entry: addrinfo, port: UInt16) {
        var storage = sockaddr_storage()
        let byteCount = min(unsafe Int(entry.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
        guard let bytes = unsafe UnsafeRawPointer(entry.ai_addr) else { return nil }
        // SAFETY: the resolver says how many bytes the address has, and no more than the storage has are copied.
        unsafe withUnsafeMutableBytes(of: &storage) { storage in
            unsafe storage.copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: byteCount))
        }
        guard let address = try? SocketAddress(storage) else { return nil }
        self = address.withPort(port)
    }
}
