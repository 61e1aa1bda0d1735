// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A layer that compresses each packet's content by itself, in steps if it is long.
protocol CompressionLayer: PacketLayer {
    /// - Parameters:
    ///   - byteCount: The number of compressed bytes.
    ///   - limit: The most bytes of content.
    func beginOpening(_ byteCount: Int, limit: Int) throws(CodecError) -> any CompressionWork

    /// `byteCount` is that of the content.
    func beginSealing(_ byteCount: Int) throws(CodecError) -> any CompressionWork
}

/// The compression or inflation of one content in steps.
///
/// A step takes about 3 ms at most, except with zlib's levels above 6 and brotli's above 5. Short contents need one
/// step.
protocol CompressionWork: AnyObject {
    /// - Parameter source: All bytes; each step gets the same ones.
    /// - Returns: The whole result; nil if more steps are needed.
    func step(_ source: RawSpan) throws(CodecError) -> [UInt8]?

    var heldByteCount: Int { get }
}
