// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The result of reading, and the reader's position after it. A reader itself cannot be used in `#expect`.
struct Reading<Value> {
    let result: Result<Value, CodecError>
    let offset: Int

    /// Reads from the bytes, or from a range of them.
    init(
        _ bytes: [UInt8], range: Range<Int>? = nil, maximumDepth: Int = 32,
        _ body: (inout ByteReader) throws(CodecError) -> Value
    ) {
        var reader = ByteReader(bytes.span.bytes, range: range ?? 0..<bytes.count, maximumDepth: maximumDepth)
        do throws(CodecError) {
            result = .success(try body(&reader))
        } catch {
            result = .failure(error)
        }
        offset = reader.offset
    }

    var value: Value {
        get throws { try result.get() }
    }

    var error: CodecError? {
        if case .failure(let error) = result { error } else { nil }
    }
}
