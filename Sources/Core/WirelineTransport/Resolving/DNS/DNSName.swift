// SPDX-License-Identifier: Apache-2.0

/// A DNS name as in messages: labels, each after its length (RFC 1035 §3.1).
///
/// It is in lower case, because names that differ only in case are the same (RFC 4343).
package struct DNSName: Hashable, Sendable {
    /// The largest number of bytes in a name, including its end (RFC 1035 §2.3.4).
    static let byteCountLimit = 255
    /// The largest number of bytes in a label.
    static let labelLimit = 63

    /// The labels, without the empty one at the end.
    package private(set) var labels: [UInt8] = []

    init() {}

    /// Nil if the host is not a valid DNS name.
    ///
    /// A label must not be empty or longer than 63 bytes, and the whole not longer than 255 bytes. All bytes must be
    /// printable ASCII. Names in other scripts are written in Punycode.
    package init?(_ host: String) {
        var text = Array(host.utf8)[...]
        if text.last == UInt8(ascii: ".") { text.removeLast() }
        for label in text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard label.allSatisfy({ (0x21...0x7E).contains($0) }), !label.isEmpty, append(label) else { return nil }
        }
    }

    /// Appends a label of at most 63 bytes.
    ///
    /// - Returns: False if the name would be too long; then nothing has changed.
    mutating func append(_ label: some Collection<UInt8>) -> Bool {
        guard label.count <= Self.labelLimit, labels.count + label.count + 2 <= Self.byteCountLimit else {
            return false
        }
        labels.append(UInt8(label.count))
        labels += label.lazy.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return true
    }

    /// `localhost`, or a name that ends in this label (RFC 6761 §6.3).
    var isLocalHost: Bool {
        let label: [UInt8] = [9] + Array("localhost".utf8)
        return labels.suffix(label.count) == label[...]
    }
}
