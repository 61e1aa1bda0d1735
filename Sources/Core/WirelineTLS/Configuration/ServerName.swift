// SPDX-License-Identifier: Apache-2.0

enum ServerName: Equatable {
    /// A host, in lower case and without a dot at the end.
    case host(String)
    /// An IP address, if OpenSSL accepts it; certificates list it as an address.
    case address(String)

    /// - Throws: ``TLSError/invalidServerName(_:)``.
    init(_ text: String) throws(TLSError) {
        var name = text[...]
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        if name.contains(":") {
            // The zone names a link of this machine and is not part of the address (RFC 4007 §6).
            let address = name.prefix { $0 != "%" }
            if address.contains(":") { name = address }
            guard name.utf8.allSatisfy({ Self.isAddressCharacter($0) }) else { throw .invalidServerName(text) }
            self = .address(String(name))
            return
        }
        if name.hasSuffix(".") { name = name.dropLast() }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard name.utf8.count <= 253,
            labels.allSatisfy({ 1...63 ~= $0.utf8.count && $0.utf8.allSatisfy(Self.isHostCharacter) }),
            let last = labels.last
        else { throw .invalidServerName(text) }
        // A name whose last label is a number must be an address (RFC 1123 §2.1).
        let isAddress = last.utf8.allSatisfy { (0x30...0x39).contains($0) }
        self = isAddress ? .address(String(name)) : .host(name.lowercased())
    }

    var text: String {
        switch self {
        case .host(let text), .address(let text): text
        }
    }

    /// The normalised pattern of a configured name: a host, or `*.` and a host.
    ///
    /// `*` stands for one label. The pattern is in lower case and has no dot at the end.
    ///
    /// - Throws: ``TLSError/invalidServerName(_:)``.
    static func pattern(_ text: String) throws(TLSError) -> String {
        let isWild = text.hasPrefix("*.")
        guard case .host(let host) = try? ServerName(isWild ? String(text.dropFirst(2)) : text) else {
            throw .invalidServerName(text)
        }
        return isWild ? "*." + host : host
    }

    /// The patterns that match a host, the narrower one first.
    static func patterns(for host: String) -> [String] {
        guard let dot = host.firstIndex(of: "."), dot > host.startIndex else { return [host] }
        return [host, "*" + host[dot...]]
    }

    /// Accepts underscores, too: they are not allowed in host names, but are used.
    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }

    private static func isAddressCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x3A, 0x41...0x46, 0x61...0x66, 0x2E: true
        default: false
        }
    }
}
