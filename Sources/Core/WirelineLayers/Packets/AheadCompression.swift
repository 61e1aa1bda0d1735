// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Compresses the contents of a packet in steps, before the packet is sealed.
///
/// Such a content does not depend on packets that were sealed before, so other packets may be sealed meanwhile. Ciphers
/// do depend on them. So a content after a cipher, or inside an inner packet, is compressed when the packet is sealed.
package final class AheadCompression {
    private enum State {
        /// The packet is sealed on trial, up to the first content that is not compressed yet.
        case looking
        case compressing([UInt8], layer: Int, any CompressionWork)
        /// No further content can be compressed ahead.
        case done
    }

    private var state = State.looking
    /// In the order of sealing.
    private var contents: [(layer: Int, content: [UInt8], sealed: [UInt8])] = []

    package init() {}

    package var isLooking: Bool { if case .looking = state { true } else { false } }

    package var isDone: Bool { if case .done = state { true } else { false } }

    /// The memory of the contents, and of the work.
    package var heldByteCount: Int {
        let made = contents.reduce(0) { $0 + $1.content.count + $1.sealed.count }
        guard case .compressing(let content, _, let work) = state else { return made }
        return made + content.count + work.heldByteCount
    }

    /// Compresses a piece of a content.
    ///
    /// If that fails, sealing reports the error.
    package func step() {
        guard case .compressing(let content, let layer, let work) = state else { return }
        do throws(CodecError) {
            guard let sealed = try work.step(content.rawSpan) else { return }
            contents.append((layer, content, sealed))
            state = .looking
        } catch {
            state = .done
        }
    }

    /// The look has found nothing to compress.
    package func endLook() { if isLooking { state = .done } }

    /// Ends a look at a layer of the packet.
    ///
    /// - Parameter work: Compresses the content; nil if the layer compresses nothing.
    /// - Throws: An error that only ends the trial.
    func stop(at layer: Int, _ content: RawSpan, _ work: (any CompressionWork)?) throws(CodecError) -> Never {
        if let work {
            state = .compressing([UInt8](copying: content), layer: layer, work)
        } else {
            state = .done
        }
        throw CodecError(.invalidLayer(.cut))
    }

    /// Nil if the content was not compressed ahead.
    func sealed(_ content: RawSpan, at layer: Int) -> [UInt8]? {
        contents.first { $0.layer == layer && $0.content.rawSpan.hasSameBytes(as: content) }?.sealed
    }
}

extension RawSpan {
    fileprivate func hasSameBytes(as other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        // SAFETY: both are lent until the closures return.
        return unsafe withUnsafeBytes { bytes in
            unsafe other.withUnsafeBytes { others in unsafe bytes.elementsEqual(others) }
        }
    }
}
