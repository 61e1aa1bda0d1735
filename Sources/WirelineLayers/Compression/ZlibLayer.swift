// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLibraries

/// `layer zlib`, `layer deflate` and `layer gzip`: each packet's content is one stream (RFC 1950, 1951, 1952).
///
/// zlib's states are made for the first packet, and reset for each one after it: nothing is carried over. So the packets of
/// all connections of a thread can share a layer (``CompressionStates``).
final class ZlibLayer: PacketLayer {
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
        do {
            if inflation == nil { inflation = try ZlibInflation(Zlib.shared.get(), wrapper) }
        } catch {
            throw CodecError(error)
        }
        inflation?.reset()
        return try inflation?.inflateWhole(sealed, limit: limit) ?? []
    }

    func seal(_ content: RawSpan, _ header: PacketHeader) throws(CodecError) -> [UInt8] {
        var compressed: [UInt8] = []
        do {
            if deflation == nil { deflation = try ZlibDeflation(Zlib.shared.get(), wrapper, level: level) }
            deflation?.reset()
            // Enough for most contents: half of them, and what a stream needs at least.
            compressed.reserveCapacity(content.byteCount / 2 + 64)
            try deflation?.deflate(content, then: .finish, into: &compressed)
        } catch {
            throw CodecError(error)
        }
        return compressed
    }
}
