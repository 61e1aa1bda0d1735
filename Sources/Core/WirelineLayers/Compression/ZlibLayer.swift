// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLibraries

/// `layer zlib`, `layer deflate` and `layer gzip`: each packet's content is one stream (RFC 1950, 1951, 1952).
///
/// The first packet makes zlib's states, and each later one resets them: packets share no data. So the packets of all
/// connections of a thread can share a layer (``CompressionStates``).
final class ZlibLayer: CompressionLayer {
    private let wrapper: ZlibWrapper
    private let level: Int?
    private var inflation: ZlibInflation?
    private var deflation: ZlibDeflation?

    /// - Parameter level: From 0 to 9; nil for zlib's default, which is 6.
    init(_ wrapper: ZlibWrapper, level: Int?) {
        self.wrapper = wrapper
        self.level = level
    }

    func open(_ sealed: RawSpan, _ header: PacketHeader, limit: Int) throws(CodecError) -> [UInt8] {
        let inflation = try takeInflation()
        let content = try inflation.inflateWhole(sealed, limit: limit)
        self.inflation = consume inflation
        return content
    }

    func seal(_ content: RawSpan, _ header: PacketHeader) throws(CodecError) -> [UInt8] {
        let deflation = try takeDeflation()
        // Enough for most contents: half of their bytes, and the least that a stream needs.
        var compressed: [UInt8] = []
        compressed.reserveCapacity(content.byteCount / 2 + 64)
        do throws(LibraryFailure) {
            try deflation.deflate(content, then: .finish, into: &compressed)
        } catch {
            throw CodecError(error)
        }
        self.deflation = consume deflation
        return compressed
    }

    // MARK: In steps

    func beginOpening(_ byteCount: Int, limit: Int) throws(CodecError) -> any CompressionWork {
        Opening(try takeInflation(), of: self, WholeInflation(byteCount, limit: limit))
    }

    func beginSealing(_ byteCount: Int) throws(CodecError) -> any CompressionWork {
        Sealing(try takeDeflation(), of: self, byteCount)
    }

    /// Takes the state to read, ready for a stream. Work in steps keeps it; other packets then make a new one.
    private func takeInflation() throws(CodecError) -> ZlibInflation {
        if let inflation = inflation.take() {
            inflation.reset()
            return inflation
        }
        do throws(LibraryFailure) {
            return try ZlibInflation(Zlib.shared.get(), wrapper)
        } catch {
            throw CodecError(error)
        }
    }

    private func takeDeflation() throws(CodecError) -> ZlibDeflation {
        if let deflation = deflation.take() {
            deflation.reset()
            return deflation
        }
        do throws(LibraryFailure) {
            return try ZlibDeflation(Zlib.shared.get(), wrapper, level: level)
        } catch {
            throw CodecError(error)
        }
    }

    private final class Opening: CompressionWork {
        private var inflation: ZlibInflation?
        private let layer: ZlibLayer
        private var whole: WholeInflation

        init(_ inflation: consuming ZlibInflation, of layer: ZlibLayer, _ whole: WholeInflation) {
            self.inflation = consume inflation
            self.layer = layer
            self.whole = whole
        }

        var heldByteCount: Int { whole.content.capacity + ZlibLayer.inflationByteCount }

        func step(_ source: RawSpan) throws(CodecError) -> [UInt8]? {
            guard let inflation = inflation.take() else { return [] }
            let isWhole = try whole.step(source, with: inflation)
            guard isWhole else {
                self.inflation = consume inflation
                return nil
            }
            layer.inflation = consume inflation
            return whole.content
        }
    }

    private final class Sealing: CompressionWork {
        /// For this many bytes zlib's level 6 takes 3 ms at worst, level 9 takes 30 ms.
        private static let stepByteCount = 4 << 10

        private var deflation: ZlibDeflation?
        private let layer: ZlibLayer
        private var compressed: [UInt8] = []
        private var takenByteCount = 0

        init(_ deflation: consuming ZlibDeflation, of layer: ZlibLayer, _ byteCount: Int) {
            self.deflation = consume deflation
            self.layer = layer
            compressed.reserveCapacity(byteCount / 8)
        }

        var heldByteCount: Int { compressed.capacity + ZlibLayer.deflationByteCount }

        func step(_ source: RawSpan) throws(CodecError) -> [UInt8]? {
            guard let deflation = deflation.take() else { return [] }
            let rest = source.extracting(droppingFirst: takenByteCount)
            let piece = rest.extracting(first: Self.stepByteCount)
            let isLast = piece.byteCount == rest.byteCount
            do throws(LibraryFailure) {
                try deflation.deflate(piece, then: isLast ? .finish : .none, into: &compressed)
            } catch {
                throw CodecError(error)
            }
            takenByteCount += piece.byteCount
            guard isLast else {
                self.deflation = consume deflation
                return nil
            }
            layer.deflation = consume deflation
            return compressed
        }
    }

    private static let inflationByteCount = 40 << 10
    private static let deflationByteCount = 256 << 10
}
