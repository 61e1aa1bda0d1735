// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// One of two versions of a schema.
public enum SchemaVersion: String, CaseIterable, Equatable, Hashable, Sendable {
    case old, new

    /// The version at the other end.
    public var peer: SchemaVersion { self == .old ? .new : .old }
}

/// One difference between two versions of a schema, and what comes of it.
public struct SchemaChange: Equatable, Sendable {
    /// What it goes against.
    public var rule: CompatibilityRule
    /// What was changed: `Cs_20001.Line`, `struct Item`, `packet`.
    public var subject: String
    /// What is different, in words; lower case, no full stop, code in backticks.
    public var summary: String
    /// Where it stood in the old version; nil for what is new.
    public var oldLocation: SourceLocation?
    /// Where it stands in the new one; nil for what is gone.
    public var newLocation: SourceLocation?
    /// The messages that have it, by their names in the new version or else the old, in the order of the schema.
    public var messages: [String]
    /// Packets that go wrong: none, or one for each version that cannot read the other's packets.
    public var failures: [Failure]

    /// What a change breaks.
    public enum Effect: String, CaseIterable, Equatable, Sendable {
        /// One side refuses packets of the other, or reads something else from them.
        case wire
        /// Generated code, JSON, or versions that are neither of these two.
        case code
        /// Nothing.
        case none
    }

    /// What the change breaks.
    public var effect: Effect { failures.isEmpty ? rule == .addition ? .none : .code : .wire }

    /// Whether this version can read all packets of the other one, as far as this change goes.
    public func isSafe(for reader: SchemaVersion) -> Bool { !failures.contains { $0.reader == reader } }

    /// A packet that shows what goes wrong.
    public struct Failure: Equatable, Sendable {
        /// The version that reads it; the other one wrote it.
        public var reader: SchemaVersion
        /// Who sends it.
        public var sender: Sender
        /// The message's name in the schema of its writer.
        public var message: String
        /// The whole packet.
        public var packet: [UInt8]
        /// The message's fields, as the writer means them.
        public var sent: JSONValue
        /// What the reader makes of it.
        public var outcome: Outcome
    }

    /// What a reader makes of a packet that was meant otherwise.
    public enum Outcome: Equatable, Sendable {
        /// It is an error. Offsets count from the first byte of the payload, or of the packet where that itself is refused.
        case refused(CodecError)
        /// It is read as these fields (of this message, where that is another one), of which the difference is the first;
        /// nil where it is the message.
        case misread(message: String, fields: JSONValue, Difference?)
        /// The reader has no message of its ID.
        case unknownMessage

        var isRefusal: Bool { if case .refused = self { true } else { false } }
    }
}

extension SchemaChange {
    /// A value that is read as something else than was sent.
    public struct Difference: Equatable, Sendable {
        /// Where it stands in the fields that were read: `items[1].count`; empty where that is not known.
        public var path: String
        /// Which bytes it was read from, in bytes from the packet's first; nil where it was read from none, as what the
        /// other version does not send.
        public var range: Range<Int>?
        /// What was sent, as its writer means it; nil where nothing was.
        public var sent: JSONValue?
        /// What was read; nil where nothing was.
        public var read: JSONValue?
    }
}

extension ProtocolDescription {
    /// What has changed since an older version of the protocol, and which of the two can no longer read the other's packets.
    ///
    /// A change breaks a reader if and only if there is a packet that shows it: packets are made of values at the ends of
    /// what the change touches, and of many others; the writer's version encodes them, the reader's decodes them. Values are
    /// the same when their bytes say the same: another name for a field, a case or a message is none; a case that stands for
    /// another number is.
    ///
    /// - Parameter old: The version that is in use.
    /// - Returns: All changes, in the order of the schema: the packet's, then the messages', then those of what they hold.
    public func changes(since old: ProtocolDescription) -> [SchemaChange] {
        var comparison = SchemaComparison(old: old, new: self)
        return comparison.changes()
    }
}
