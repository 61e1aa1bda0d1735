// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What numbers at and beyond the end of 32 bits do that no golden vector reaches; empty if all is well.
func limitFailures() -> [String] {
    lengthFailures() + countFailures() + sumFailures()
}

// MARK: Lengths

/// A length, and whether packets of so many bytes are waited for if only an `Int` limits them.
private struct Length {
    let layout: PacketLayout
    let hex: String
    let isGood: Bool
}

private func layout(_ format: PacketField.Format, _ base: PacketField.LengthBase, plus constant: Int) -> PacketLayout {
    PacketLayout(generatedHeader: [
        PacketField("length", format, .length(of: base, plus: constant)),
        PacketField("id", .integer(.uint16, .bigEndian), .messageID),
    ])
}

private func lengths() -> [Length] {
    let wide = layout(.integer(.uint64, .bigEndian), .packet, plus: 0)
    let little = layout(.integer(.uint32, .littleEndian), .payload, plus: 0)
    let more = layout(.integer(.uint32, .bigEndian), .packet, plus: 0xFFFF)
    let less = layout(.integer(.uint32, .bigEndian), .packet, plus: -0xFFFF)
    let varint = layout(.varint(maximumByteCount: 10), .rest, plus: 0)
    let two = PacketLayout(generatedHeader: [
        PacketField("total", .integer(.uint32, .bigEndian), .length(of: .packet, plus: 0xFFFF)),
        PacketField("count", .integer(.uint32, .bigEndian), .length(of: .payload, plus: -0xFFFF)),
    ])
    return [
        Length(layout: .standard, hex: "3fffffff", isGood: true),
        Length(layout: .standard, hex: "40000000", isGood: true),
        Length(layout: .standard, hex: "7ffffffe", isGood: true),
        Length(layout: .standard, hex: "7fffffff", isGood: true),
        Length(layout: .standard, hex: "80000000", isGood: false),
        Length(layout: .standard, hex: "ffffffff", isGood: false),
        Length(layout: .erlangPacket4, hex: "7ffffffb", isGood: true),
        Length(layout: .erlangPacket4, hex: "7ffffffc", isGood: false),
        Length(layout: .erlangPacket4, hex: "ffffffff", isGood: false),
        Length(layout: little, hex: "f9ffff7f", isGood: true), Length(layout: little, hex: "faffff7f", isGood: false),
        Length(layout: little, hex: "00000080", isGood: false), Length(layout: little, hex: "ffffffff", isGood: false),
        Length(layout: more, hex: "8000fffe", isGood: true), Length(layout: more, hex: "8000ffff", isGood: false),
        Length(layout: more, hex: "ffffffff", isGood: false), Length(layout: less, hex: "7fff0000", isGood: true),
        Length(layout: less, hex: "7fff0001", isGood: false), Length(layout: less, hex: "ffffffff", isGood: false),
        Length(layout: wide, hex: "000000007fffffff", isGood: true),
        Length(layout: wide, hex: "0000000080000000", isGood: false),
        Length(layout: wide, hex: "0000000100000010", isGood: false),
        Length(layout: wide, hex: "7fffffffffffffff", isGood: false),
        Length(layout: wide, hex: "ffffffffffffffff", isGood: false),
        Length(layout: varint, hex: "8780808008", isGood: false),
        Length(layout: varint, hex: "8080808010", isGood: false),
        Length(layout: varint, hex: "faffffff07", isGood: true),
        Length(layout: varint, hex: "fbffffff07", isGood: false),
        Length(layout: varint, hex: "ffffffffffffffffff01", isGood: false),
        Length(layout: two, hex: "8000fffe7ffefff8", isGood: true),
        Length(layout: two, hex: "8000fffe00000000", isGood: false),
        Length(layout: two, hex: "ffffffffffffffff", isGood: false),
    ]
}

private func lengthFailures() -> [String] {
    lengths().compactMap { length in
        // With few bytes after the header and with enough for every path over the header.
        for zeros in ["0000", "00000000000000000000000000000000000000000000000000000000"] {
            guard let bytes = try? Hexadecimal.bytes(of: length.hex + zeros) else { return "no digits" }
            var splitter = PacketSplitter(layout: length.layout, maximumPacketByteCount: .max)
            var isRefused = false
            do throws(CodecError) {
                try splitter.receive(bytes.span.bytes) { _ throws(CodecError) in }
            } catch {
                isRefused = true
                guard case .packetTooLong(_, _, .max) = error.reason else {
                    if case .lengthMismatch = error.reason { continue }
                    return "length \(length.hex): \(error.description)"
                }
            }
            if isRefused == length.isGood { return "length \(length.hex) is \(isRefused ? "refused" : "taken")" }
            if !isRefused, splitter.pendingByteCount != bytes.count { return "length \(length.hex): a packet came" }
        }
        return nil
    }
}

// MARK: Counts

private func countFailures() -> [String] {
    var failures: [String] = []
    func expect(_ condition: Bool, _ text: String) {
        if !condition { failures.append(text) }
    }
    expect(CountFormat.uint32.maximum == .max && CountFormat.varint.maximum == .max, "the largest count")
    for (hex, format) in [
        ("7fffffff", CountFormat.uint32), ("80000000", .uint32), ("ffffffff", .uint32), ("ffffffff07", .varint),
        ("8080808008", .varint), ("ffffffff0f", .varint),
    ] {
        guard let bytes = try? Hexadecimal.bytes(of: hex + "00") else { return ["no digits"] }
        var item = 0
        let reasons = [
            reason(bytes) { reader throws(CodecError) in
                let count = try reader.readCount(format, .bigEndian)
                _ = try reader.readBytes(byteCount: count)
            },
            reason(bytes) { reader throws(CodecError) in
                let count = try reader.readCount(format, .bigEndian)
                _ = try reader.readString(byteCount: count)
            },
            reason(bytes) { reader throws(CodecError) in
                let count = try reader.readCount(format, .bigEndian)
                _ = try reader.enterSizedBody(byteCount: count)
            },
        ]
        expect(reasons.allSatisfy { $0 == .truncated(needed: .max, available: 1) }, "count \(hex)")
        let ofList = reason(bytes) { reader throws(CodecError) in
            let count = try reader.readCount(format, .bigEndian)
            expect(reader.itemCapacity(count, minimumByteCount: 1) == 1, "capacity for \(hex)")
            _ = try reader.readIntegers(count: count, as: UInt64.self, .bigEndian, item: &item)
        }
        expect(ofList == .truncated(needed: 8, available: 1), "list of \(hex)")
    }
    guard let bytes = try? Hexadecimal.bytes(of: "8080808010ffffffffffffffffff01") else { return ["no digits"] }
    let tooLong = reason(bytes) { reader throws(CodecError) in _ = try reader.readCount(.varint, .bigEndian) }
    expect(tooLong == .varintTooLong(maximumByteCount: 5), "a varint count of 2^32")
    var numbers: [UInt64] = []
    let ofNumbers = reason(bytes) { reader throws(CodecError) in
        numbers = [try reader.readVarint(), try reader.readVarint()]
    }
    expect(ofNumbers == nil && numbers == [1 << 32, .max], "varints of more than 32 bits")
    return failures
}

/// Why some reading fails; nil if it does not.
private func reason(
    _ bytes: [UInt8], _ read: (inout ByteReader) throws(CodecError) -> Void
) -> CodecError.Reason? {
    var reader = ByteReader(bytes.span.bytes)
    do throws(CodecError) {
        try read(&reader)
        return nil
    } catch {
        return error.reason
    }
}

// MARK: Sums

private func sumFailures() -> [String] {
    var failures: [String] = []
    for byteCount in [Int.max - 5, .max - 4, .max] {
        do throws(CodecError) {
            _ = try PacketLayout.standard.encode(id: 1, payloadByteCount: byteCount, limit: .max) { _ in }
            failures.append("a payload of \(byteCount) bytes is written")
        } catch {
            guard case .packetTooLong(_, _, .max) = error.reason else {
                failures.append("a payload of \(byteCount) bytes: \(error.description)")
                continue
            }
        }
    }
    if !isRefusedBehindOneGibibyte() { failures.append("a packet that ends beyond Int.max is handed over") }
    return failures
}

/// Lends more than 1 GiB at once, in which a second packet begins so far back that its end is beyond `Int.max`.
private func isRefusedBehindOneGibibyte() -> Bool {
    let (first, second) = (0x3FFF_FFFF, 16)
    let byteCount = first + second + 16
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
    defer { bytes.deallocate() }
    for (start, length) in [(0, first), (first, second), (first + second, first)] {
        bytes.storeBytes(of: UInt32(length).bigEndian, toByteOffset: start, as: UInt32.self)
        bytes.storeBytes(of: 0, toByteOffset: start + 4, as: UInt32.self)
    }
    var splitter = PacketSplitter(layout: .standard, maximumPacketByteCount: .max)
    var byteCounts: [Int] = []
    do throws(CodecError) {
        try splitter.receive(UnsafeRawBufferPointer(bytes).bytes) { packet throws(CodecError) in
            byteCounts.append(packet.bytes.byteCount)
        }
    } catch {
        return false
    }
    return byteCounts == [first, second] && splitter.pendingByteCount == byteCount - first - second
}
