// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLibraries

/// `layer brotli`: each packet's content is one stream (RFC 7932).
struct BrotliLayer: CompressionLayer {
    /// From 0 to 11; nil for brotli's default, which is 11.
    let level: Int?

    func open(_ sealed: RawSpan, _ header: PacketHeader, limit: Int) throws(CodecError) -> [UInt8] {
        try Self.makeInflation().inflateWhole(sealed, limit: limit)
    }

    private static func makeInflation() throws(CodecError) -> BrotliInflation {
        do throws(LibraryFailure) {
            return try BrotliInflation(BrotliDecoding.shared.get())
        } catch {
            throw CodecError(error)
        }
    }

    func seal(_ content: RawSpan, _ header: PacketHeader) throws(CodecError) -> [UInt8] {
        do {
            return try BrotliEncoding.shared.get().compress(content, level: level)
        } catch {
            throw CodecError(error)
        }
    }

    // MARK: In steps

    func beginOpening(_ byteCount: Int, limit: Int) throws(CodecError) -> any CompressionWork {
        Opening(try Self.makeInflation(), WholeInflation(byteCount, limit: limit))
    }

    func beginSealing(_ byteCount: Int) throws(CodecError) -> any CompressionWork {
        do throws(LibraryFailure) {
            return Sealing(try BrotliDeflation(BrotliEncoding.shared.get(), byteCount: byteCount, level: level))
        } catch {
            throw CodecError(error)
        }
    }

    private final class Opening: CompressionWork {
        private let inflation: BrotliInflation
        private var whole: WholeInflation

        init(_ inflation: consuming BrotliInflation, _ whole: WholeInflation) {
            self.inflation = inflation
            self.whole = whole
        }

        /// brotli's window has at most as many bytes as the content so far.
        var heldByteCount: Int { whole.content.capacity + whole.content.count }

        func step(_ source: RawSpan) throws(CodecError) -> [UInt8]? {
            try whole.step(source, with: inflation) ? whole.content : nil
        }
    }

    private final class Sealing: CompressionWork {
        private static let stepByteCount = 16 << 10
        /// A flush makes brotli process all bytes since the last one again: after 8 MiB that took 180 ms, after 256 KiB
        /// 20 ms. The result is a thousandth longer.
        private static let flushByteCount = 256 << 10

        private let deflation: BrotliDeflation
        private var compressed: [UInt8] = []
        private var takenByteCount = 0

        init(_ deflation: consuming BrotliDeflation) { self.deflation = deflation }

        /// brotli's encoder has a window of at most 4 MiB, and about twice as much around it.
        var heldByteCount: Int { compressed.capacity + min(3 * takenByteCount, 12 << 20) }

        func step(_ source: RawSpan) throws(CodecError) -> [UInt8]? {
            let rest = source.extracting(droppingFirst: takenByteCount)
            let piece = rest.extracting(first: Self.stepByteCount)
            let isLast = piece.byteCount == rest.byteCount
            takenByteCount += piece.byteCount
            let operation: BrotliDeflation.Operation =
                isLast ? .finish : takenByteCount.isMultiple(of: Self.flushByteCount) ? .flush : .process
            do throws(LibraryFailure) {
                try deflation.deflate(piece, then: operation, into: &compressed)
            } catch {
                throw CodecError(error)
            }
            return isLast ? compressed : nil
        }
    }
}
