// SPDX-License-Identifier: Apache-2.0

internal import CLimit
internal import NIOCore
internal import NIOWebSocket
internal import WirelineWebSocket

/// `c-avx2`, `c-avx2-copy` from one place to another, and `c-word`.
func limitMaskingBenchmarks(_ sample: MaskedBytes) -> [Benchmark] {
    [
        sample.inPlace("c-avx2") { mask(UnsafeRawBufferPointer($0), to: $0, with: limit_mask) },
        sample.copying("c-avx2-copy") { mask($0, to: $1, with: limit_mask) },
        sample.inPlace("c-word") { mask(UnsafeRawBufferPointer($0), to: $0, with: limit_mask_words) },
    ]
}

private typealias Mask = (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int, UInt32) -> Void

private func mask(_ source: UnsafeRawBufferPointer, to destination: UnsafeMutableRawBufferPointer, with mask: Mask) {
    guard let from = source.bindMemory(to: UInt8.self).baseAddress,
        let to = destination.bindMemory(to: UInt8.self).baseAddress
    else { return }
    mask(from, to, source.count, MaskedBytes.keyInMemory)
}

/// `wireline`: a server's engine takes the payload of a frame, which puts it, without its mask, where it is told.
func wirelineMaskingBenchmarks(_ sample: MaskedBytes) -> [Benchmark] {
    let frame = EndlessFrame(.binary, of: .client, key: MaskedBytes.key)
    return [sample.copying("wireline") { try frame.read($0, into: $1) }]
}

/// `nio`: what SwiftNIO's frame decoder does with a payload.
func nioMaskingBenchmarks(_ sample: MaskedBytes) -> [Benchmark] {
    guard let key = WebSocketMaskingKey(MaskedBytes.key) else { return [] }
    var buffer: ByteBuffer?
    let mask = {
        if buffer == nil { buffer = ByteBuffer(bytes: sample.source) }
        buffer?.webSocketMask(key)
    }
    return [
        sample.benchmark(
            "nio",
            check: {
                buffer = nil
                mask()
                try buffer?.withUnsafeReadableBytes { try sample.check($0) }
            },
            once: mask)
    ]
}
