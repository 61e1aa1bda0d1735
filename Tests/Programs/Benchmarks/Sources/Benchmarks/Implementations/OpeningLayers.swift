// SPDX-License-Identifier: Apache-2.0

internal import CLimit
internal import LayerAccess

/// `c`: the content in new memory, which is freed. For zlib, nothing where it is not installed; brotli has no row.
func limitLayerBenchmarks(_ packet: SealedPacket) -> [Benchmark] {
    let open: @Sendable () -> CContent?
    switch packet.kind {
    case .zlib:
        guard limit_make_inflater() != nil else { return [] }
        open = { CInflation() }
    case .brotli: return []
    case .xor(let key): open = { CXOR(key) }
    case .rc4(let key): open = { CRC4(key) }
    }
    guard let content = open() else { return [] }
    return [
        packet.benchmark("c") {
            let content = open()
            return { sealed in content?.array(sealed) ?? [] }
        } once: { sealed in
            content.use(sealed)
        }
    ]
}

/// `wireline`: the stack of layers of a connection.
func wirelineLayerBenchmarks(_ packet: SealedPacket) throws -> [Benchmark] {
    let layer = try OpeningLayer(packet.kind, limit: SealedPacket.limit)
    return [
        packet.benchmark("wireline") {
            let layer = try OpeningLayer(packet.kind, limit: SealedPacket.limit)
            return { try layer.open($0) }
        } once: { sealed in
            let content = try layer.open(sealed)
            content.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress { limit_observe(start) }
            }
        }
    ]
}

/// What opens packets in C.
private class CContent {
    /// The content in memory of its own, which the caller frees; nil if the packet is broken.
    func open(_ sealed: UnsafeBufferPointer<UInt8>) -> UnsafeMutableBufferPointer<UInt8>? { nil }

    final func use(_ sealed: [UInt8]) {
        sealed.withUnsafeBufferPointer { sealed in
            guard let content = open(sealed), let start = content.baseAddress else { return }
            limit_observe(start)
            content.deallocate()
        }
    }

    final func array(_ sealed: [UInt8]) -> [UInt8] {
        sealed.withUnsafeBufferPointer { sealed in
            guard let content = open(sealed) else { return [] }
            defer { content.deallocate() }
            return Array(content)
        }
    }
}

private final class CInflation: CContent {
    private let inflater = limit_make_inflater()

    override func open(_ sealed: UnsafeBufferPointer<UInt8>) -> UnsafeMutableBufferPointer<UInt8>? {
        var byteCount = 0
        guard let inflater, let start = sealed.baseAddress,
            let content = limit_inflate(inflater, start, sealed.count, SealedPacket.limit, &byteCount)
        else { return nil }
        return UnsafeMutableBufferPointer(start: content, count: byteCount)
    }
}

private final class CXOR: CContent {
    private let stream: [UInt8]

    init(_ key: [UInt8]) { stream = Array(repeatElement(key, count: 1_024 / key.count).joined()) }

    override func open(_ sealed: UnsafeBufferPointer<UInt8>) -> UnsafeMutableBufferPointer<UInt8>? {
        guard let start = sealed.baseAddress else { return nil }
        return UnsafeMutableBufferPointer(
            start: limit_xor(stream, stream.count, start, sealed.count), count: sealed.count)
    }
}

private final class CRC4: CContent {
    private var state = limit_rc4()

    init(_ key: [UInt8]) { limit_begin_rc4(&state, key, key.count) }

    override func open(_ sealed: UnsafeBufferPointer<UInt8>) -> UnsafeMutableBufferPointer<UInt8>? {
        guard let start = sealed.baseAddress else { return nil }
        return UnsafeMutableBufferPointer(
            start: limit_rc4_content(&state, start, sealed.count), count: sealed.count)
    }
}
