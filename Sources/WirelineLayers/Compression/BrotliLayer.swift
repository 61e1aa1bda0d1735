// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLibraries

/// `layer brotli`: each packet's content is one stream (RFC 7932).
struct BrotliLayer: PacketLayer {
    /// From 0 to 11; nil for brotli's default, which is 11.
    let level: Int?

    func open(_ sealed: RawSpan, _ header: PacketHeader, limit: Int) throws(CodecError) -> [UInt8] {
        let inflation: BrotliInflation
        do {
            inflation = try BrotliInflation(BrotliDecoding.shared.get())
        } catch {
            throw CodecError(error)
        }
        return try inflation.inflateWhole(sealed, limit: limit)
    }

    func seal(_ content: RawSpan, _ header: PacketHeader) throws(CodecError) -> [UInt8] {
        do {
            return try BrotliEncoding.shared.get().compress(content, level: level)
        } catch {
            throw CodecError(error)
        }
    }
}
