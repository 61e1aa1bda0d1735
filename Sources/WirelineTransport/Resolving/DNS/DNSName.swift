// SPDX-License-Identifier: Apache-2.0

/// A name of the DNS, as it stands in messages: labels with their lengths in front (RFC 1035 §3.1), in lower case, for
/// names that differ in case alone are one (RFC 4343).
package struct DNSName: Hashable, Sendable {
    /// The most bytes of a name, its end included (RFC 1035 §2.3.4).
    static let byteCountLimit = 255
    /// The most bytes of a label.
    static let labelLimit = 63

    /// The labels, without the empty one that ends them.
    package private(set) var labels: [UInt8] = []

    /// The root, to which labels are appended.
    init() {}

    /// The name of a host; nil where it is none: a label is empty or longer than 63 bytes, the whole is longer than 255, or
    /// there is a byte that is no printable ASCII. Names in other scripts are written in Punycode.
    package init?(_ host: String) {
        var text = Array(host.utf8)[...]
        if text.last == UInt8(ascii: ".") { text.removeLast() }
        for label in text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard label.allSatisfy({ (0x21...0x7E).contains($0) }), !label.isEmpty, append(label) else { return nil }
        }
    }

    /// Appends a label of at most 63 bytes.
    ///
    /// - Returns: False where the name would be too long; nothing has changed then.
    mutating func append(_ label: some Collection<UInt8>) -> Bool {
        guard label.count <= Self.labelLimit, labels.count + label.count + 2 <= Self.byteCountLimit else {
            return false
        }
        labels.append(UInt8(label.count))
        labels += label.lazy.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return true
    }

    /// Whether it stands for this machine wherever it is looked up (RFC 6761 §6.3): `localhost`, or a name that ends so.
    var isLocalHost: Bool {
        let label: [UInt8] = [9] + Array("localhost".utf8)
        return labels.suffix(label.count) == label[...]
    }
}
