// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// How many bytes compression and custom layers may still make of one packet.
///
/// All layers of the packet and of the packets in it share one budget.
package struct InflationBudget: Sendable {
    /// The bytes at first: `max_inflated`.
    package let limit: Int
    package private(set) var remainingByteCount: Int

    /// - Parameter limit: In bytes; 0 allows only empty contents.
    package init(limit: Int) {
        precondition(limit >= 0, "a schema's limit is not negative")
        self.limit = limit
        remainingByteCount = limit
    }

    /// Takes bytes from the budget.
    ///
    /// - Throws: ``CodecError/Reason/inflatedTooLong(limit:)`` if fewer are left; then none is taken.
    package mutating func take(_ byteCount: Int) throws(CodecError) {
        guard byteCount <= remainingByteCount else { throw CodecError(.inflatedTooLong(limit: limit)) }
        remainingByteCount -= byteCount
    }
}
