// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineLanguage

/// One of two versions of a schema.
public enum SchemaVersion: String, CaseIterable, Equatable, Hashable, Sendable {
    case old, new

    /// The other version.
    public var peer: SchemaVersion { self == .old ? .new : .old }
}

/// One difference between two versions of a schema, and its effects.
public struct SchemaChange: Equatable, Sendable {
    /// The rule that the change violates.
    public var rule: CompatibilityRule
    /// The changed part: `Cs_20001.Line`, `struct Item`, `packet`.
    public var subject: String
    /// The difference in words; lower case, no full stop, code in backticks.
    public var summary: String
    /// The place in the old version; nil for something new.
    public var oldLocation: SourceLocation?
    /// The place in the new version; nil for something removed.
    public var newLocation: SourceLocation?
    /// The messages that contain it, by their names in the new version or else the old, in the order of the schema.
    public var messages: [String]
    /// Packets that go wrong: at most one for each version that cannot read the other's packets.
    public var failures: [Failure]

    /// The part that a change breaks.
    public enum Effect: String, CaseIterable, Equatable, Sendable {
        /// One side refuses packets of the other, or reads something else from them.
        case wire
        /// Generated code or JSON changes, or versions other than these two are affected.
        case code
        /// Nothing.
        case none
    }

    /// The part that this change breaks.
    public var effect: Effect { failures.isEmpty ? rule == .addition ? .none : .code : .wire }

    /// Whether this version can read all packets of the other one in spite of this change.
    public func isSafe(for reader: SchemaVersion) -> Bool { !failures.contains { $0.reader == reader } }

    /// A packet that shows what goes wrong.
    public struct Failure: Equatable, Sendable {
        /// The version that reads it; the other one wrote it.
        public var reader: SchemaVersion
        /// The side that sends it.
        public var sender: Sender
        /// The message's name in the schema of its writer.
        public var message: String
        /// The whole packet, with the marks of a frame.
        public var packet: [UInt8]
        /// The packet without marks and escapes, in which offsets count.
        public var content: [UInt8]
        /// The message's fields, as the writer means them.
        public var sent: JSONValue
        /// The result of reading it.
        public var outcome: Outcome
        /// The made-up keys of its layers, by their names in the schema of its writer; empty without ciphers.
        public var keys: [String: [UInt8]] = [:]
    }

    /// The result of reading a packet that its writer meant differently.
    public enum Outcome: Equatable, Sendable {
        /// It is refused.
        ///
        /// Offsets count from the first byte of the payload, or of the packet if the packet itself is refused.
        case refused(CodecError)
        /// It is read as these fields of this message, which may be another message than the sent one.
        ///
        /// The difference is the first one between the fields; nil if the message is another one.
        case misread(message: String, fields: JSONValue, Difference?)
        /// The reader has no message of its ID.
        case unknownMessage

        var isRefusal: Bool { if case .refused = self { true } else { false } }
    }
}

extension SchemaChange {
    /// A value that is read differently from what was sent.
    public struct Difference: Equatable, Sendable {
        /// The path in the fields that were read: `items[1].count`; empty if it is not known.
        public var path: String
        /// The bytes from which it was read, counted from the packet's first byte.
        ///
        /// Nil if it was read from no bytes, such as a field that the other version does not send.
        public var range: Range<Int>?
        /// The value that its writer sent; nil if none was sent.
        public var sent: JSONValue?
        /// The value that was read; nil if none was read.
        public var read: JSONValue?
    }
}

extension ProtocolDescription {
    /// Returns the changes since an older version, and which version can no longer read the other's packets.
    ///
    /// A change breaks a reader if and only if a packet shows it. Packets are made of values at the ends of the changed
    /// ranges, and of many others. The writer's version encodes them, and the reader's version decodes them. Values are
    /// the same if their bytes mean the same: another name for a field, a case or a message makes no difference, a case
    /// with another number does.
    ///
    /// After 64 MiB of packets have been tried, further changes of a message that goes wrong count as breaking it too.
    /// They come with a packet that shows another of its changes.
    ///
    /// - Parameter old: The version that is in use.
    /// - Returns: All changes, in the order of the schema: the packet's, then the messages', then those of their
    ///   contents.
    public func changes(since old: ProtocolDescription) -> [SchemaChange] {
        var comparison = SchemaComparison(old: old, new: self)
        return comparison.changes()
    }
}
