// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc

    private let descriptorCount = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    private let mostDescriptors = rlim_t.max
#elseif canImport(Musl)
    import Musl

    private let descriptorCount = RLIMIT_NOFILE
    private let mostDescriptors = rlim_t.max
#else
    import Darwin

    private let descriptorCount = RLIMIT_NOFILE

    /// The largest limit that Darwin accepts, although it reports no limit (setrlimit(2)).
    private var mostDescriptors: rlim_t {
        var count: Int32 = 0
        var byteCount = MemoryLayout<Int32>.size
        // SAFETY: the name is a static C string, and the call writes at most as many bytes as it is told.
        let result = unsafe sysctlbyname("kern.maxfilesperproc", &count, &byteCount, nil, 0)
        return result == 0 ? rlim_t(count) : rlim_t(OPEN_MAX)
    }
#endif

/// The number of descriptors, and so connections, that the process may have (`RLIMIT_NOFILE`).
///
///     DescriptorLimit.raise()
///     let server = try await PacketServer.start(at: "0.0.0.0", port: 9001, protocol: SceneProtocol.self) { … }
///
/// Every connection takes one descriptor. The library does not raise the limit on its own: it belongs to the whole
/// process, and `select(2)` in other libraries cannot use descriptors above 1,023.
public enum DescriptorLimit {
    /// The current limit; `Int.max` if the system does not say.
    public static var current: Int {
        var limit = rlimit()
        // SAFETY: the call fills a structure of its own type.
        guard unsafe getrlimit(descriptorCount, &limit) == 0 else { return .max }
        return Int(clamping: limit.rlim_cur)
    }

    /// Raises the limit as far as the system allows; shells often set it to 1,024.
    ///
    /// If the system refuses, the limit stays as it is: further connections wait until others end.
    ///
    /// - Returns: The limit after the call.
    @discardableResult
    public static func raise() -> Int {
        var limit = rlimit()
        // SAFETY: the calls fill and read a structure of their own type.
        guard unsafe getrlimit(descriptorCount, &limit) == 0 else { return .max }
        limit.rlim_cur = min(limit.rlim_max, mostDescriptors)
        _ = unsafe setrlimit(descriptorCount, &limit)
        return current
    }
}
