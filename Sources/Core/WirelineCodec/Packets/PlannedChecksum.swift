// SPDX-License-Identifier: Apache-2.0

/// A checksum of a layout, by positions among the parts of a packet.
///
/// The parts are the fields of the header, the payload and the fields of the trailer, in wire order.
package struct PlannedChecksum: Equatable, Sendable {
    /// The position of the checksum field among the parts.
    package let part: Int
    package let kind: ChecksumKind
    /// The positions of the parts that the checksum covers.
    package let parts: Range<Int>
    /// The positions of the parts among them that count as zeros: this checksum and later ones.
    package let zeros: [Int]

    /// Returns the checksums of a layout in wire order.
    static func all(header: [PacketField], trailer: [PacketField]) -> [PlannedChecksum] {
        let names = PacketLayout.partNames(header: header, trailer: trailer)
        let places = PackedRuns(header).places + [nil] + PackedRuns(trailer).places
        let checksums: [(part: Int, checksum: PacketChecksum)] =
            header.enumerated().compactMap { index, field in field.checksum.map { (index, $0) } }
            + trailer.enumerated().compactMap { index, field in field.checksum.map { (header.count + 1 + index, $0) } }
        return checksums.map { part, checksum in
            var parts = checksum.range.positions(of: part, payload: header.count, names)
            // Fields that share bytes are covered together.
            if let first = parts.first, let place = places[first], !parts.isEmpty {
                parts = first - place.position..<parts.upperBound
            }
            let zeros = checksums.map { $0.part }.filter { $0 >= part && parts.contains($0) }
            return PlannedChecksum(part: part, kind: checksum.kind, parts: parts, zeros: zeros)
        }
    }

    /// - Parameter ends: The end of each part of the packet.
    func range(_ ends: [Int]) -> Range<Int> {
        let start = parts.lowerBound == 0 ? 0 : ends[parts.lowerBound - 1]
        return parts.isEmpty ? start..<start : start..<ends[parts.upperBound - 1]
    }

    /// - Parameter ends: The end of each part of the packet.
    func value(in bytes: RawSpan, _ ends: [Int]) -> UInt32 {
        let range = range(ends)
        var checksum = Checksum(kind)
        var offset = range.lowerBound
        for part in zeros {
            let start = part == 0 ? 0 : ends[part - 1]
            checksum.append(bytes.extracting(offset..<start))
            checksum.append(zeros: ends[part] - start)
            offset = ends[part]
        }
        checksum.append(bytes.extracting(offset..<range.upperBound))
        return checksum.value
    }
}

extension PacketChecksum.Range {
    /// Returns the positions of the parts.
    ///
    /// - Parameter names: The fields' names, with nil for the payload. A range that a layout refuses has no parts.
    fileprivate func positions(of part: Int, payload: Int, _ names: [String?]) -> Swift.Range<Int> {
        switch self {
        case .payload: return payload..<payload + 1
        case .rest: return part + 1..<names.count
        case .parts(let first, let last):
            guard let first = first.position(in: names), let last = last.position(in: names), first <= last else {
                return part..<part
            }
            return first..<last + 1
        }
    }
}

extension PacketChecksum.Part {
    /// - Parameter names: The fields' names, with nil for the payload.
    package func position(in names: [String?]) -> Int? {
        switch self {
        case .payload: names.firstIndex(of: nil)
        case .field(let name): names.firstIndex(of: name)
        }
    }
}

extension PacketLayout {
    /// The names of the parts of a packet; nil for the payload.
    static func partNames(header: [PacketField], trailer: [PacketField]) -> [String?] {
        // Embedded Swift has no key paths.
        header.map { $0.name } + [nil] + trailer.map { $0.name }
    }
}
