// SPDX-License-Identifier: Apache-2.0

/// A cipher that combines each byte with one byte of a keystream.
///
/// Opening and sealing are the same, and output and input are equally long, so a packet needs no memory of its own.
/// There is one object for each direction of a connection, and it gets the packets in their order.
protocol KeystreamLayer: AnyObject {
    /// Transforms bytes, and moves the keystream past them.
    ///
    /// - Parameter destination: Memory for as many bytes. It may equal the source, but not overlap it otherwise.
    func transform(_ source: UnsafeRawBufferPointer, to destination: UnsafeMutableRawPointer)
}

extension [UInt8] {
    mutating func append(_ source: RawSpan, transformedBy layer: any KeystreamLayer) {
        append(addingCapacity: source.byteCount) { output in
            // SAFETY: the room has space for all bytes of the source, which is lent until `transform` returns.
            unsafe output.withUnsafeMutableBufferPointer { room, filledByteCount in
                guard let start = room.baseAddress else { return }
                unsafe source.withUnsafeBytes { source in
                    unsafe layer.transform(source, to: UnsafeMutableRawPointer(start))
                }
                filledByteCount = source.byteCount
            }
        }
    }

    /// In place.
    mutating func transform(from start: Int, by layer: any KeystreamLayer) {
        // SAFETY: source and destination are the same bytes, which are this array's until `transform` returns.
        unsafe withUnsafeMutableBytes { bytes in
            let tail = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
            guard let destination = tail.baseAddress else { return }
            unsafe layer.transform(UnsafeRawBufferPointer(tail), to: destination)
        }
    }
}
