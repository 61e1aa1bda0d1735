// SPDX-License-Identifier: Apache-2.0

internal import CLimit
internal import WirelineErlang

/// A term of Erlang that every implementation reads and writes, as bytes.
struct TermSample {
    let name: String
    let term: ErlangTerm
    let bytes: [UInt8]

    /// Reading without a value of its own.
    var reading: String { "term_\(name)_read" }
    /// Reading to a value.
    var decoding: String { "term_\(name)_dec" }
    var encoding: String { "term_\(name)_enc" }

    static func all() throws -> [TermSample] { try [TermSample("record", record), TermSample("nested", nested)] }

    private init(_ name: String, _ term: ErlangTerm) throws {
        self.name = name
        self.term = term
        bytes = try term.externalFormat()
    }

    /// `#sc_20001{}` with 12 bytes of text.
    static let record = ErlangTerm.tuple(
        "sc_20001", .integer(Int64(Sample.result)), .integer(Int64(Sample.serverSceneID)),
        .integer(Int64(Sample.position)), .integer(Int64(Sample.status)), .integer(Int64(Sample.type)),
        .integer(Int64(Sample.defaultCombat)), .text(Sample.all[0].text), .binary([]))

    /// About 1 KiB: a list of tuples with texts, lists, maps and floats.
    private static let nested = ErlangTerm.list(
        (0..<16).map { (number: Int64) in
            .tuple(
                "item", .integer(number), .text("name \(number)"), .list([.integer(number * 1000), "low", 1.5]),
                .map(["x": .integer(number), "y": .integer(-1)]))
        })
}

// MARK: - C

/// `c`: reads without any memory, and writes from terms of its own into a buffer. `c-own`: reads to terms of its own.
func limitTermBenchmarks(_ sample: TermSample) -> [Benchmark] {
    let bytes = sample.bytes
    let buffer = outputBuffer.bytes.bindMemory(to: UInt8.self)
    // Lives as long as the program.
    let term = UnsafeMutablePointer<limit_term>.allocate(capacity: 1)
    guard let start = buffer.baseAddress, limit_decode_term(bytes, bytes.count, term) else { return [] }
    let isRecord = sample.term == TermSample.record
    return [
        Benchmark(
            caseName: sample.reading, implementation: "c",
            check: {
                if isRecord {
                    let message = UnsafeMutablePointer<limit_server_message>.allocate(capacity: 1)
                    defer { message.deallocate() }
                    try succeed(limit_read_record(bytes, bytes.count, message))
                    try WrongResult.unlessEqual(message.pointee.default_combat, Sample.defaultCombat)
                } else {
                    var sum: UInt64 = 0
                    try succeed(limit_walk_term(bytes, bytes.count, &sum))
                    try WrongResult.unlessEqual(sum, try walked(bytes))
                }
            },
            repeats: { count in
                try succeed(
                    isRecord
                        ? limit_repeat_read_record(bytes, bytes.count, count)
                        : limit_repeat_walk_term(bytes, bytes.count, count))
            }),
        Benchmark(
            caseName: sample.decoding, implementation: "c-own",
            check: {
                var term = limit_term()
                try succeed(limit_decode_term(bytes, bytes.count, &term))
                let byteCount = limit_encode_term(&term, start, buffer.count)
                limit_free_term(&term)
                try WrongResult.unlessEqual(outputBuffer.prefix(byteCount), bytes)
            },
            repeats: { try succeed(limit_repeat_decode_term(bytes, bytes.count, $0)) }),
        Benchmark(
            caseName: sample.encoding, implementation: "c",
            check: {
                try WrongResult.unlessEqual(
                    outputBuffer.prefix(limit_encode_term(term, start, buffer.count)), bytes)
            },
            repeats: { try succeed(limit_repeat_encode_term(term, start, buffer.count, $0)) }),
    ]
}

private func succeed(_ isRight: Bool) throws {
    guard isRight else { throw WrongResult(description: "refused a right term") }
}

// MARK: - Wireline

/// `wireline`: `ErlangTermReader`, and values of `ErlangTerm`, which are written to an array of their own.
func wirelineTermBenchmarks(_ sample: TermSample) -> [Benchmark] {
    let (bytes, term) = (sample.bytes, sample.term)
    let isRecord = term == TermSample.record
    return [
        Benchmark(
            caseName: sample.reading, implementation: "wireline",
            check: {
                if isRecord {
                    try WrongResult.unlessEqual(readRecord(bytes.span.bytes), Int64(Sample.defaultCombat))
                } else {
                    try WrongResult.unlessEqual(try walked(bytes), 120_326)
                }
            },
            repeats: { count in
                var total: UInt64 = 0
                for _ in 0..<count {
                    total &+= isRecord ? UInt64(readRecord(bytes.span.bytes) ?? 0) : try walked(bytes)
                }
                observe(Int(truncatingIfNeeded: total))
            }),
        Benchmark(
            caseName: sample.decoding, implementation: "wireline",
            check: { try WrongResult.unlessEqual(ErlangTerm(externalFormat: bytes.span.bytes), term) },
            repeats: { count in
                var total = 0
                for _ in 0..<count {
                    if case .tuple = try ErlangTerm(externalFormat: bytes.span.bytes) { total &+= 1 }
                }
                observe(total)
            }),
        Benchmark(
            caseName: sample.encoding, implementation: "wireline",
            check: { try WrongResult.unlessEqual(term.externalFormat(), bytes) },
            repeats: { count in
                var total = 0
                for _ in 0..<count { total &+= try term.externalFormat().count }
                observe(total)
            }),
    ]
}

/// Reads `#sc_20001{}`.
@inline(never)
private func readRecord(_ bytes: RawSpan) -> Int64? {
    var reader = ErlangTermReader(bytes)
    guard reader.readVersion(), reader.readTuple() == 9, reader.readAtom()?.matches("sc_20001") == true,
        let result = reader.readInteger(), let scene = reader.readInteger(), let position = reader.readInteger(),
        let status = reader.readInteger(), let type = reader.readInteger(), let combat = reader.readInteger(),
        let text = reader.readBinary(), reader.readBinary() != nil, reader.isAtEnd
    else { return nil }
    guard UInt8(exactly: result) != nil, UInt32(exactly: scene) != nil, UInt8(exactly: position) != nil,
        UInt8(exactly: status) != nil, UInt8(exactly: type) != nil, UInt32(exactly: combat) != nil,
        text.byteCount <= Int(UInt16.max)
    else { return nil }
    return combat
}

/// Adds up the integers and the bytes of binaries in a term.
@inline(never)
private func walked(_ bytes: [UInt8]) throws -> UInt64 {
    var reader = ErlangTermReader(bytes.span.bytes)
    guard reader.readVersion() else { throw WrongResult(description: "no version") }
    var sum: UInt64 = 0
    try walk(&reader, &sum)
    return sum
}

private func walk(_ reader: inout ErlangTermReader, _ sum: inout UInt64) throws {
    if let value = reader.readInteger() {
        sum &+= UInt64(bitPattern: value)
    } else if let bytes = reader.readBinary() {
        sum &+= UInt64(bytes.byteCount)
    } else if let count = reader.readTuple() {
        for _ in 0..<count { try walk(&reader, &sum) }
    } else if let count = reader.readList() {
        for _ in 0..<count { try walk(&reader, &sum) }
        if count > 0, reader.readList() != 0 { throw WrongResult(description: "an improper list") }
    } else if let count = reader.readMap() {
        for _ in 0..<2 * count { try walk(&reader, &sum) }
    } else if reader.skip() == nil {
        throw WrongResult(description: "no term")
    }
}
