// SPDX-License-Identifier: Apache-2.0

/// The numbers of record types and of their class (RFC 1035 §3.2, RFC 3596 §2.1).
enum DNSRecordType {
    static let a: UInt16 = 1
    static let alias: UInt16 = 5
    static let startOfAuthority: UInt16 = 6
    static let aaaa: UInt16 = 28
    /// The class of the Internet.
    static let internet: UInt16 = 1
}

/// The records of an answer, in any order.
struct DNSRecords {
    /// The largest number of aliases in a chain; servers accept about as many.
    private static let aliasLimit = 16

    private var aliases: [DNSName: (name: DNSName, seconds: UInt32)] = [:]
    private var addresses: [DNSName: (addresses: [SocketAddress], seconds: UInt32)] = [:]
    /// How long the absence of addresses may be cached, if the zone says so (RFC 2308 §5).
    private(set) var timeOfAbsence: Duration?

    /// Reads one record.
    ///
    ///     name, type (2 bytes), class (2), time to live in seconds (4), byte count (2), data
    mutating func read(_ reader: inout DNSReader) throws(DNSError) {
        let owner = try reader.readName()
        let type = try reader.readInteger(as: UInt16.self)
        let recordClass = try reader.readInteger(as: UInt16.self)
        let time = try reader.readInteger(as: UInt32.self)
        // A number with its first bit set counts as 0 (RFC 2181 §8).
        let seconds = time > UInt32(Int32.max) ? 0 : time
        let byteCount = Int(try reader.readInteger(as: UInt16.self))
        let start = reader.offset
        guard recordClass == DNSRecordType.internet else {
            _ = try reader.readBytes(byteCount)
            return
        }
        switch type {
        case DNSRecordType.a, DNSRecordType.aaaa:
            guard byteCount == (type == DNSRecordType.a ? 4 : 16),
                let address = SocketAddress(bytes: Array(try reader.readBytes(byteCount)), port: 0)
            else { throw .malformed(offset: start) }
            addresses[owner, default: ([], .max)].addresses.append(address)
            addresses[owner]?.seconds.lower(to: seconds)
        case DNSRecordType.alias:
            let name = try reader.readName()
            if aliases[owner] == nil { aliases[owner] = (name, seconds) }
        case DNSRecordType.startOfAuthority:
            _ = try reader.readName()
            _ = try reader.readName()
            _ = try reader.readBytes(16)
            timeOfAbsence = .seconds(min(seconds, try reader.readInteger(as: UInt32.self)))
        default: _ = try reader.readBytes(byteCount)
        }
        guard reader.offset == start + byteCount else { throw .malformed(offset: start) }
    }

    /// Follows aliases; nil if the name has no address.
    func answer(to name: DNSName, _ family: AddressFamily) throws(DNSError) -> ResolvedAddresses? {
        var name = name
        var seconds = UInt32.max
        for _ in 0...Self.aliasLimit {
            if let found = addresses[name] {
                let addresses = found.addresses.filter { $0.addressFamily == family }
                return ResolvedAddresses(addresses, timeToLive: .seconds(min(seconds, found.seconds)))
            }
            guard let alias = aliases[name] else { return nil }
            name = alias.name
            seconds = min(seconds, alias.seconds)
        }
        throw .tooManyAliases
    }
}

extension UInt32 {
    fileprivate mutating func lower(to other: UInt32) { self = Swift.min(self, other) }
}
