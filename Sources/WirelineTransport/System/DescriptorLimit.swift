// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc

    private let descriptorCount = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
#elseif canImport(Musl)
    import Musl

    private let descriptorCount = RLIMIT_NOFILE
#else
    import Darwin

    private let descriptorCount = RLIMIT_NOFILE
#endif

/// How many descriptors, and so connections, the process may have.
package enum DescriptorLimit {
    /// Raises it as far as the system lets this process: what a shell gives it is often 1,024.
    package static func raise() {
        var limit = rlimit()
        guard unsafe getrlimit(descriptorCount, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // A system that refuses leaves the limit as it is: further connections wait until others end.
        _ = unsafe setrlimit(descriptorCount, &limit)
    }
}
