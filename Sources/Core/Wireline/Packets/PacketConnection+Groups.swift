// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
package import WirelineTransport

/// A connection as a member of groups that send to many. Only its loop uses this.
extension PacketConnection {
    // MARK: Memberships

    func join(_ membership: Membership) {
        membership.next = memberships
        memberships = membership
        stream.announcesWrites = true
    }

    /// Removes a membership; does nothing if the connection does not have it.
    func leave(_ membership: Membership) {
        if memberships === membership {
            memberships = membership.next
        } else {
            var last = memberships
            while let each = last, each.next !== membership { last = each.next }
            last?.next = membership.next
        }
        membership.next = nil
        stream.announcesWrites = memberships != nil
    }

    /// Leaves all groups, after sending the packets that they have sent so far.
    func leaveGroups() {
        sendPendingMessages()
        while let membership = memberships {
            leave(membership)
            membership.end()
        }
    }

    /// Writes packets that groups have sent, and this connection has not written yet.
    func sendPendingMessages() {
        var next = memberships
        while let membership = next {
            next = membership.next
            membership.sendPendingMessages()
        }
    }

    package func willWrite(to stream: ByteStream) { sendPendingMessages() }

    // MARK: Gathered packets

    /// Sends packets that the caller has gathered, however much waits already. Use it where no task sends.
    ///
    /// If no output waits, the system gets the bytes, and only the rest that it does not take is copied. So a
    /// connection whose peer reads needs no memory for output.
    ///
    /// - Parameter packets: The bytes of whole packets as they stand in a stream.
    package func sendTogether(_ packets: [UInt8], packetCount: Int) {
        let bytes = packets.rawSpan
        // If the connection has ended, its handler learns it elsewhere.
        guard !stream.writeShared(bytes, packetCount: packetCount), stream.takesOutput else { return }
        append(bytes)
        stream.countJoinedPackets(packetCount - 1)
        stream.flush()
    }

    // MARK: Shared bytes

    /// Sends packets that other connections get, too, if that is possible without waiting.
    ///
    /// If no output waits, the system gets the shared bytes, and only the rest that it does not take is copied.
    ///
    /// - Parameters:
    ///   - array: Whole packets as they stand in a stream.
    ///   - bounds: The part of the array to send; nil: all.
    ///   - frames: Frames of these bytes that other connections have made; nil: each connection makes its own.
    /// - Returns: False if the peer reads too slowly or the connection has ended.
    func sendShared(
        _ array: [UInt8], _ bounds: Range<Int>? = nil, packetCount: Int = 1, frames: SharedFrames? = nil
    ) -> Bool {
        if hasDeferredPackets { return sendSharedLater(Array(array[bounds ?? array.indices])) }
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let bytes = unsafe array.span.bytes.extracting(bounds ?? array.indices)
        if senders.isEmpty, stream.writeShared(bytes, packetCount: packetCount) { return true }
        if senders.isEmpty, let frames, stream.mayShareTransformOutput, transform?.sendShared(bytes, frames) == true {
            stream.sendTransformOutput(bytes.byteCount, packetCount: packetCount)
            return true
        }
        // Tasks that already wait to send go first.
        resumeSenders()
        guard prepareToSend(bytes.byteCount) else { return false }
        append(bytes)
        stream.countJoinedPackets(packetCount - 1)
        // Flushed at once: otherwise each of many receivers would keep its output block.
        guard !stream.isOutputStalled else { return true }
        loop.spendSending(bytes.byteCount)
        stream.flush()
        return true
    }
}
