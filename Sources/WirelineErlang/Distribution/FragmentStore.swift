// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Messages of which not all fragments have arrived.
///
/// Fragments of one message have one sequence number and count down to 1. Those of several messages may be mixed.
struct FragmentStore {
    /// A message whose last fragment has arrived.
    struct Whole {
        let control: ControlMessage
        /// The bytes; nil if there were more than the limit, and were not kept.
        let content: [UInt8]?
    }

    private enum Content {
        case kept([UInt8])
        /// There were too many bytes. What follows is not kept either.
        case skipped
    }

    private struct Open {
        let control: ControlMessage
        /// How many fragments are still to come.
        var leftCount: UInt64
        var content: Content

        var byteCount: Int {
            if case .kept(let bytes) = content { bytes.count } else { 0 }
        }
    }

    private let limits: DistributionLimits
    private var open: [UInt64: Open] = [:]
    /// The bytes that are kept.
    private(set) var byteCount = 0

    init(_ limits: DistributionLimits) { self.limits = limits }

    /// The first fragment of a message.
    ///
    /// - Parameter leftCount: The number of fragments with this one, at least 1.
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

    /// A later fragment of a message.
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
