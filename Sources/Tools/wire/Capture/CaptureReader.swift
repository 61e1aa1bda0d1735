// SPDX-License-Identifier: Apache-2.0

struct CaptureError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// - Parameter offset: The offset of the block in the file.
    init(_ description: String, at offset: Int) {
        self.description = "the capture is broken at byte \(offset): \(description)"
    }
}

/// A captured frame. It begins with its link-layer header.
struct CapturedFrame: Equatable {
    /// The number of the frame, from 1, as in Wireshark.
    let number: Int
    /// The kind of the first header, as a LINKTYPE number (tcpdump.org).
    let linkType: UInt16
    /// nil if the capture has no valid time.
    let time: CaptureTime?
    /// The captured bytes. They can be fewer than the frame had.
    let bytes: [UInt8]
}

/// Reads a capture file that arrives in pieces: pcap or pcapng, in either byte order.
///
/// Sources: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. Blocks of unknown types are skipped.
struct CaptureReader {
    /// The largest block, in bytes. Wireshark has the same limit.
    static let maximumBlockByteCount = 16 << 20

    private enum Format {
        case pcap(PcapHeader)
        case pcapng(PcapngSection)
    }

    /// The buffer. The unread bytes begin at ``start``.
    private var bytes: [UInt8] = []
    private var start = 0
    /// The offset of the first unread byte in the file.
    private var offset = 0
    private var format: Format?
    private var frameCount = 0

    /// Whether the bytes begin a capture; nil if there are too few of them.
    static func isBeginning(_ bytes: some Sequence<UInt8>) -> Bool? {
        let bytes = Array(bytes.prefix(12))
        let isPossible = PcapHeader.mayBegin(bytes) || PcapngSection.mayBegin(bytes)
        return isPossible && bytes.count < 12 ? nil : isPossible
    }

    /// Consumes the next bytes, and appends the frames that are complete.
    ///
    /// - Throws: ``CaptureError`` at the first invalid block. All frames before it are appended.
    mutating func receive(_ piece: [UInt8], _ frames: inout [CapturedFrame]) throws(CaptureError) {
        bytes += piece
        defer { dropRead() }
        while true {
            let view = CaptureBlock(bytes[start...], at: offset)
            let byteCount: Int?
            switch format {
            case .pcap(let header): byteCount = try readRecord(view, header, &frames)
            case .pcapng(let section): byteCount = try readBlock(view, section, &frames)
            case nil: byteCount = try readBeginning(view)
            }
            guard let byteCount else { return }
            start += byteCount
            offset += byteCount
        }
    }

    /// - Throws: ``CaptureError`` if the file ends inside a block.
    func finish() throws(CaptureError) {
        let count = bytes.count - start
        guard count > 0 else {
            if format == nil { throw CaptureError("the capture is empty") }
            return
        }
        let unit = if case .pcapng = format { "block" } else { "packet" }
        let what = format == nil ? "its header" : "the \(unit) that begins at byte \(offset)"
        throw CaptureError("the capture ends after \(count.counted("byte")) of \(what)")
    }

    private mutating func dropRead() {
        guard start > bytes.count / 2 else { return }
        bytes.removeFirst(start)
        start = 0
    }

    private mutating func append(
        _ content: ArraySlice<UInt8>, _ linkType: UInt16, _ time: CaptureTime?, _ frames: inout [CapturedFrame]
    ) {
        frameCount += 1
        frames.append(CapturedFrame(number: frameCount, linkType: linkType, time: time, bytes: Array(content)))
    }

    /// Reads the header of the file. Returns its size, or nil if it is incomplete.
    private mutating func readBeginning(_ view: CaptureBlock) throws(CaptureError) -> Int? {
        guard view.count >= 12 else { return nil }
        if PcapngSection.mayBegin(view.prefix(12)) {
            format = .pcapng(PcapngSection())
            return 0
        }
        guard PcapHeader.mayBegin(view.prefix(12)) else { throw CaptureError("this is neither pcap nor pcapng") }
        guard let header = PcapHeader(view) else { return nil }
        format = .pcap(header)
        return PcapHeader.byteCount
    }

    private mutating func readRecord(
        _ view: CaptureBlock, _ header: PcapHeader, _ frames: inout [CapturedFrame]
    ) throws(CaptureError) -> Int? {
        guard view.count >= 16 else { return nil }
        let byteCount = Int(view.number(at: 8, header.order))
        guard byteCount <= Self.maximumBlockByteCount else {
            throw view.error("a packet of \(byteCount) bytes; at most \(Self.maximumBlockByteCount) are read")
        }
        guard view.count >= 16 + byteCount else { return nil }
        let fraction = view.number(at: 4, header.order)
        let (nanoseconds, isTooLarge) = fraction.multipliedReportingOverflow(by: header.isFine ? 1 : 1_000)
        let time =
            isTooLarge
            ? nil
            : CaptureTime(
                seconds: UInt64(view.number(at: 0, header.order)), nanoseconds: nanoseconds, isFine: header.isFine)
        append(view.bytes(from: 16, byteCount), header.linkType, time, &frames)
        return 16 + byteCount
    }

    private mutating func readBlock(
        _ view: CaptureBlock, _ section: PcapngSection, _ frames: inout [CapturedFrame]
    ) throws(CaptureError) -> Int? {
        var section = section
        guard let byteCount = try section.byteCount(of: view) else { return nil }
        guard view.count >= byteCount else { return nil }
        let packet = try section.read(view.block(byteCount))
        format = .pcapng(section)
        if let packet { append(packet.bytes, packet.linkType, packet.time, &frames) }
        return byteCount
    }
}

/// The byte order of the numbers that the capture program has written.
enum CaptureOrder {
    case little, big
}

/// The unread bytes of a capture, or one whole block.
struct CaptureBlock {
    private let bytes: ArraySlice<UInt8>
    /// The offset of the first byte in the file.
    let offset: Int

    init(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    var count: Int { bytes.count }

    func prefix(_ count: Int) -> [UInt8] { Array(bytes.prefix(count)) }

    func block(_ count: Int) -> CaptureBlock { CaptureBlock(bytes.prefix(count), at: offset) }

    func bytes(from start: Int, _ count: Int) -> ArraySlice<UInt8> {
        bytes[bytes.startIndex + start..<bytes.startIndex + start + count]
    }

    func number(at index: Int, _ order: CaptureOrder) -> UInt32 {
        let number = bytes(from: index, 4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return order == .big ? number : number.byteSwapped
    }

    func shortNumber(at index: Int, _ order: CaptureOrder) -> UInt16 {
        let number = bytes(from: index, 2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
        return order == .big ? number : number.byteSwapped
    }

    func error(_ text: String) -> CaptureError { CaptureError(text, at: offset) }
}
