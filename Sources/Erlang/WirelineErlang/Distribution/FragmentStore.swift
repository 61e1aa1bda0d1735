// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Messages that are waiting for some of their fragments.
///
/// All fragments of a message have one sequence number, and count down to 1. Several messages may be mixed.
struct FragmentStore {
    /// A message whose last fragment has arrived.
    struct Whole {
        let control: ControlMessage
        /// Nil if the message was longer than the limit, and was dropped.
        let content: [UInt8]?
    }

    private enum Content {
        case kept([UInt8])
        /// The message is too long. Its later fragments are dropped, too.
        case skipped
    }

    private struct Open {
        let control: ControlMessage
        var leftCount: UInt64
        var content: Content

        var byteCount: Int {
            if case .kept(let bytes) = content { bytes.count } else { 0 }
        }
    }

    private let limits: DistributionLimits
    private var open: [UInt64: Open] = [:]
    private(set) var byteCount = 0

    init(_ limits: DistributionLimits) { self.limits = limits }

    /// - Parameter leftCount: The number of fragments including this one, at least 1.
    mutating func begin(
        _ sequence: UInt64, leftCount: UInt64, _ control: ControlMessage, _ content: RawSpan
    ) throws(ErlangError) -> Whole? {
        // Each of these would end an Erlang node.
        guard sequence > 0, leftCount > 0, open[sequence] == nil else { throw .distribution(.fragment) }
        guard open.count < limits.fragmentedMessageCount
        else { throw .distribution(.tooManyFragmentedMessages(limit: limits.fragmentedMessageCount)) }
        var message = Open(control: control, leftCount: leftCount, content: .kept([]))
        return try add(content, to: &message, sequence)
    }

    mutating func `continue`(
        _ sequence: UInt64, leftCount: UInt64, _ content: RawSpan
    ) throws(ErlangError) -> Whole? {
        guard var message = open.removeValue(forKey: sequence), message.leftCount == leftCount
        else { throw .distribution(.fragment) }
        byteCount -= message.byteCount
        return try add(content, to: &message, sequence)
    }

    /// The message is `inout`: with a second reference to it, each fragment would copy all earlier ones.
    private mutating func add(
        _ content: RawSpan, to message: inout Open, _ sequence: UInt64
    ) throws(ErlangError) -> Whole? {
        if case .kept(var bytes) = message.content {
            message.content = .skipped
            if bytes.count + content.byteCount <= limits.terms.byteCount {
                bytes.append(byteCount: content.byteCount) { $0.writeBytes(content) }
                message.content = .kept(bytes)
            }
        }
        message.leftCount -= 1
        guard message.leftCount > 0 else {
            guard case .kept(let bytes) = message.content else { return Whole(control: message.control, content: nil) }
            return Whole(control: message.control, content: bytes)
        }
        byteCount += message.byteCount
        open[sequence] = message
        guard byteCount <= limits.fragmentByteCount
        else { throw .distribution(.fragmentsTooLong(limit: limits.fragmentByteCount)) }
        return nil
    }
}
