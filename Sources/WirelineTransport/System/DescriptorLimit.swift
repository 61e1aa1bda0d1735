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

    /// Darwin refuses more than this, although the limit that it names is none (setrlimit(2)).
    private var mostDescriptors: rlim_t {
        var count: Int32 = 0
        var byteCount = MemoryLayout<Int32>.size
        let result = unsafe sysctlbyname("kern.maxfilesperproc", &count, &byteCount, nil, 0)
        return result == 0 ? rlim_t(count) : rlim_t(OPEN_MAX)
    }
#endif

/// How many descriptors, and so connections, the process may have.
package enum DescriptorLimit {
    /// Raises it as far as the system lets this process: what a shell gives it is often 1,024.
    package static func raise() {
        var limit = rlimit()
        guard unsafe getrlimit(descriptorCount, &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, mostDescriptors)
        // A system that refuses leaves the limit as it is: further connections wait until others end.
        _ = unsafe setrlimit(descriptorCount, &limit)
    }
}
