// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// The bytes that compression and custom layers may still make of one packet.
///
/// All layers of the packet and of the packets in it share one budget.
package struct InflationBudget: Sendable {
    /// The initial budget: `max_inflated`.
    package let limit: Int
    package private(set) var remainingByteCount: Int

    /// - Parameter limit: In bytes; 0 allows only empty contents.
    package init(limit: Int) {
        precondition(limit >= 0, "a schema's limit is not negative")
        self.limit = limit
        remainingByteCount = limit
    }

    /// - Throws: ``CodecError/Reason/inflatedTooLong(limit:)`` if fewer bytes are left; then it takes none.
    package mutating func take(_ byteCount: Int) throws(CodecError) {
        guard byteCount <= remainingByteCount else { throw CodecError(.inflatedTooLong(limit: limit)) }
        remainingByteCount -= byteCount
    }
}
