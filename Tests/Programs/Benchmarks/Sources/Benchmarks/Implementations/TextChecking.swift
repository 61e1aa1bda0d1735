// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CLimit
internal import WirelineWebSocket

/// `simdjson`, where it is installed, and `c`.
func limitTextBenchmarks(_ text: Text) -> [Benchmark] {
    var checks: [(String, limit_text_check)] = [("c", limit_is_text)]
    if let simdjson = limit_simdjson() { checks.insert(("simdjson", simdjson), at: 0) }
    return checks.map { implementation, isText in
        text.benchmark(implementation) {
            { bytes in
                guard let address = bytes.baseAddress else { return false }
                return isText(address, bytes.count)
            }
        }
    }
}

/// `wireline`: a client's engine takes a piece of a text, which puts it where it is told and checks it there. What it takes
/// more than `wireline-binary`, which is the same without the check, is the check.
func wirelineTextBenchmarks(_ text: Text) -> [Benchmark] {
    let content = UnsafeMutableRawBufferPointer.allocate(byteCount: Text.byteCount, alignment: 64)
    let checked = text.benchmark("wireline") {
        let frame = EndlessFrame(.text, of: .server)
        return { bytes in
            do {
                try frame.read(UnsafeRawBufferPointer(bytes), into: content)
                return true
            } catch WebSocketError.invalidUTF8 {
                return false
            }
        }
    }
    let frame = EndlessFrame(.binary, of: .server)
    let unchecked = Benchmark(
        caseName: text.caseName, implementation: "wireline-binary", byteCount: Text.byteCount,
        packetCount: 0,
        check: {
            try frame.read(UnsafeRawBufferPointer(text.bytes), into: content)
            try WrongResult.unlessEqual(content.elementsEqual(UnsafeRawBufferPointer(text.bytes)), true)
        },
        repeats: { count in
            for _ in 0..<count { try frame.read(UnsafeRawBufferPointer(text.bytes), into: content) }
        })
    return [checked, unchecked]
}

/// `swift-utf8span`: the standard library's, where it is there.
func standardTextBenchmarks(_ text: Text) -> [Benchmark] {
    guard #available(macOS 26, *) else { return [] }
    return [
        text.benchmark("swift-utf8span") {
            { bytes in
                bytes.withMemoryRebound(to: UInt8.self) { (try? UTF8Span(validating: $0.span)) != nil }
            }
        }
    ]
}
