// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A layer that compresses each packet's content by itself, in steps if it is long.
protocol CompressionLayer: PacketLayer {
    /// Begins to inflate a content that was compressed to so many bytes.
    ///
    /// - Parameter limit: The most bytes that are made.
    func beginOpening(_ byteCount: Int, limit: Int) throws(CodecError) -> any CompressionWork

    /// Begins to compress a content of so many bytes.
    func beginSealing(_ byteCount: Int) throws(CodecError) -> any CompressionWork
}

/// One content that is compressed or inflated in steps.
///
/// A step takes about 3 ms at most, but with zlib's levels above 6 and brotli's above 5. Short contents need one.
protocol CompressionWork: AnyObject {
    /// Takes the next step.
    ///
    /// - Parameter source: All bytes; each step gets the same ones.
    /// - Returns: What was made of them; nil if more steps are needed.
    func step(_ source: RawSpan) throws(CodecError) -> [UInt8]?

    /// The memory that it holds, in bytes.
    var heldByteCount: Int { get }
}
