// SPDX-License-Identifier: Apache-2.0

extension ByteStream {
    /// Gives the system bytes that other streams send, too, without a copy of them; queues the rest.
    ///
    /// - Parameter packetCount: The number of packets in the bytes, for ``writeCount``.
    /// - Returns: False if that is impossible, and nothing was written: other output waits, a transform or the handler
    ///   must see the bytes, or the stream takes no output.
    package func writeShared(_ bytes: RawSpan, packetCount: Int) -> Bool {
        guard mayPassOutput, transformState == nil, readiness.isWritable else { return false }
        loop.spendSending(bytes.byteCount)
        let result = unsafe bytes.withUnsafeBytes { bytes in
            // SAFETY: the span lends its bytes for as long as the call lasts.
            unsafe bytes.baseAddress.map { unsafe socket.send($0, byteCount: bytes.count) }
        }
        switch result {
        case .bytes(let count):
            output.countSent(count)
            output.countWrites(packetCount)
            if count < bytes.byteCount { queueRest(bytes.extracting(droppingFirst: count)) } else { watchDelivery() }
        case .wouldBlock:
            output.countWrites(packetCount)
            queueRest(bytes)
        case .failed(let error):
            failOutput(error)
            return false
        case nil: break
        }
        return true
    }

    /// The handler is not asked before: it might write in the middle of a packet.
    private func queueRest(_ bytes: RawSpan) {
        readiness.foundNoRoom()
        writeDeadline.progressed(at: loop.now)
        output.appendRest(bytes, from: &loop.blocks)
        stallOutput()
    }

    /// Whether callers may add output to the transform directly.
    package var mayShareTransformOutput: Bool {
        guard let transform = transformState?.transform else { return false }
        return mayPassOutput && transform.isReady && !transform.hasOutput
    }

    /// Whether output need not go through the output buffer: no other output waits, and no log shows it.
    private var mayPassOutput: Bool {
        takesOutput && pendingByteCount == 0 && !isOutputStalled && !output.isShown && !output.isLent
    }

    /// The caller has added bytes to the transform's output.
    package func sendTransformOutput(_ byteCount: Int, packetCount: Int) {
        loop.spendSending(byteCount)
        output.countWrites(packetCount)
        flush()
    }

    package func countJoinedPackets(_ count: Int) { output.countWrites(count) }
}
