// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Whether these bytes end with others. It compares only so many bytes; `suffix(4) == [1, 2, 3, 4]` would pass
    /// through the whole sequence, and takes seconds for megabytes under a sanitizer.
    public func ends(with bytes: [UInt8]) -> Bool { suffix(bytes.count).elementsEqual(bytes) }
}
