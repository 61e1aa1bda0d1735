// SPDX-License-Identifier: Apache-2.0

extension Sequence<[UInt8]> {
    /// All bytes, one array after another.
    ///
    /// `joined()` visits each byte. For megabytes, that takes minutes under the thread sanitizer.
    public var merged: [UInt8] { reduce(into: []) { $0 += $1 } }
}
