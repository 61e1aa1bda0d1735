// SPDX-License-Identifier: Apache-2.0

/// Why bytes could not be decoded, or a value could not be encoded.
///
/// An error says what is wrong (``reason-swift.property``) and where in the bytes (``offset``). Once a message's
/// decoder has passed it on, it also says in which field (``path``):
///
///     Sc_20001.items[1].count: needs 4 bytes at offset 27, 2 are left
///
/// It is one word wide, so that calls which may throw it stay small. Only throwing allocates.
public struct CodecError: Error, Equatable, Sendable {
    /// What went wrong, with the relevant numbers.
    public var reason: Reason { storage.reason }

    /// The offset in bytes, from the start of the packet or payload that was read.
    ///
    /// It counts from the packet for a decoder of packets, otherwise from the payload. Nil if the fault has no place in
    /// bytes, as when encoding.
    public var offset: Int? { storage.offset }

    /// The field, from the outermost name inwards: `Sc_20001.items[1].count`; empty if no message was involved.
    public var path: String { storage.path }

    /// The first bytes of the packet, at most 16, if the framing is wrong; otherwise empty.
    public var bytes: [UInt8] { storage.bytes }

    /// What the bytes look like instead of a packet, if they are recognised.
    public var misdirectedProtocol: MisdirectedProtocol? { storage.misdirectedProtocol }

    /// Whether a run of several fields was cut off, so that the field is not yet known.
    var isOfRun: Bool { storage.isOfRun }

    private let storage: Storage

    /// Makes an error; `offset` is its place in the bytes.
    public init(
        _ reason: Reason,
        offset: Int? = nil,
        path: String = "",
        bytes: [UInt8] = [],
        misdirectedProtocol: MisdirectedProtocol? = nil
    ) {
        storage = Storage(
            reason, offset: offset, path: path, bytes: bytes, misdirectedProtocol: misdirectedProtocol, isOfRun: false)
    }

    init(runOf byteCount: Int, available: Int, offset: Int) {
        let reason = Reason.truncated(needed: byteCount, available: available)
        storage = Storage(reason, offset: offset, path: "", bytes: [], misdirectedProtocol: nil, isOfRun: true)
    }

    /// Returns the same error with a name before its path.
    ///
    /// `"items[1]"` before `"count"` gives `"items[1].count"`.
    public func prefixed(by name: String) -> CodecError {
        let longer: String =
            if path.isEmpty { name } else if path.hasPrefix("[") { name + path } else { name + "." + path }
        return CodecError(reason, offset: offset, path: longer, bytes: bytes, misdirectedProtocol: misdirectedProtocol)
    }

    /// An error without an offset stays the same.
    package func moved(by byteCount: Int) -> CodecError {
        guard let offset, byteCount != 0 else { return self }
        return CodecError(
            reason, offset: offset + byteCount, path: path, bytes: bytes, misdirectedProtocol: misdirectedProtocol)
    }

    public static func == (left: CodecError, right: CodecError) -> Bool {
        left.reason == right.reason && left.offset == right.offset && left.path == right.path
            && left.bytes == right.bytes && left.misdirectedProtocol == right.misdirectedProtocol
    }

    private final class Storage: Sendable {
        let reason: Reason
        let offset: Int?
        let path: String
        let bytes: [UInt8]
        let misdirectedProtocol: MisdirectedProtocol?
        let isOfRun: Bool

        init(
            _ reason: Reason, offset: Int?, path: String, bytes: [UInt8], misdirectedProtocol: MisdirectedProtocol?,
            isOfRun: Bool
        ) {
            self.reason = reason
            self.offset = offset
            self.path = path
            self.bytes = bytes
            self.misdirectedProtocol = misdirectedProtocol
            self.isOfRun = isOfRun
        }
    }
}

extension CodecError {
    /// What went wrong.
    @nonexhaustive
    public enum Reason: Equatable, Sendable {
        // MARK: The bytes end or are wrong

        /// `needed` bytes were needed, `available` were left.
        case truncated(needed: Int, available: Int)
        /// A variable-length integer does not fit its type or its declared number of bytes.
        case varintTooLong(maximumByteCount: Int)
        /// A variable-length integer could have been written in fewer bytes.
        case varintNotShortest
        /// A `bool` that is neither 0 nor 1.
        case invalidBoolean(UInt8)
        /// Text that is not UTF-8; the error's offset is that of the first invalid byte.
        case invalidUTF8(UTF8Fault)
        /// Text that is not UTF-16: half of a surrogate pair without the other half, where the error's offset is.
        case invalidUTF16
        /// A byte of decimal digits with a half over 9, or a character of such a text that is no digit.
        case invalidDigit(UInt8)
        /// A terminated string without its NUL.
        case missingTerminator
        /// Bytes after the last known field of a message that refuses them.
        case trailingBytes(count: Int)
        /// Values that are nested more deeply than the protocol's `max_depth`.
        case tooDeep(limit: Int)

        // MARK: A value is not allowed

        /// A number outside `@range`, or outside its type when encoding.
        case outOfRange(value: Int128, minimum: Int128, maximum: Int128)
        /// A float outside `@range`.
        case floatOutOfRange(value: Double, minimum: Double, maximum: Double)
        /// A finite number that is too large for the field's type: 65520 for a `float16`.
        case numberTooLarge(Double)
        /// A string or a list that is longer than `@max`, or than its prefix can count.
        case tooLong(count: Int, limit: Int)
        /// A list of fixed length with another number of items.
        case wrongItemCount(count: Int, expected: Int)
        /// A text of decimal digits with another number of them.
        case wrongDigitCount(count: Int, expected: Int)
        /// A string, bytes or a list that does not fill its fixed number of bytes, or has more.
        case wrongByteCount(count: Int, expected: Int)
        /// A size or a count under 0: that of an earlier field, with what `@size(n - 4)` takes off.
        case negativeSize(Int)
        /// A number that a `@closed` enum does not list.
        case unknownCase(Int128)
        /// A tag that no arm of a union has, and that it cannot keep.
        case unknownTag(Int128)
        /// A kept value of a union with the tag of an arm, so that it would be read as that arm.
        case knownTag(Int128)
        /// A NUL inside a string that ends at the first NUL.
        case embeddedTerminator
        /// An item of a list that begins with the byte which ends the list.
        case beginsWithTerminator(UInt8)
        /// Text that ends with the byte that fills its field, which a reader takes off.
        case endsInPadding(UInt8)
        /// A set optional field (or kept trailing bytes) after the unset one that the error's path names.
        case gapBeforeOptional
        /// A field that is set although its condition does not hold, or not set although it does.
        case wrongPresence(isSet: Bool)

        // MARK: QSIOP's properties

        /// A key that occurs twice.
        case duplicateKey(String)
        /// A line break in a value, a line break or colon in a key, or an empty key.
        case invalidProperty(String)

        // MARK: Packets

        /// A length that is smaller than the header that contains it.
        case lengthTooSmall(length: Int128, minimum: Int128)
        /// A packet longer than allowed.
        ///
        /// `length` is the value of the length field, `packetByteCount` the resulting size of the whole packet, `limit`
        /// the most bytes that a packet may have.
        case packetTooLong(length: Int128, packetByteCount: Int128, limit: Int)
        /// Two lengths, or a length and the available bytes, that do not agree.
        case lengthMismatch(length: Int128, expected: Int128)
        /// A constant with another value; of a constant text, the first byte that differs.
        case wrongConstant(value: Int128, expected: Int128)
        /// An escape of two bytes that the frame does not define; without the second byte, a start mark in a packet.
        ///
        /// The offset is that of the byte that the escape should replace.
        case invalidEscape(UInt8, UInt8?)
        /// A checksum that does not match the bytes that it covers.
        case wrongChecksum(value: UInt64, computed: UInt32, of: PacketChecksum = PacketChecksum(.crc32))
        /// The stream ended inside a packet, after `received` bytes of it.
        ///
        /// `needed` is the number of further bytes that the packet was known to need.
        case endOfStream(received: Int, needed: Int)
        /// A packet of another message than the expected one.
        case wrongMessage(id: UInt64, expected: UInt64)
        /// A message ID that the packet's ID field cannot hold or, when encoding, that the protocol does not know.
        case invalidMessageID(UInt64)
        /// A header field that does not exist or may not be set.
        case invalidHeaderField(String)
        /// A state that the protocol's connections do not have.
        case unknownState(String)
        /// A buffer that is too small for the encoded packet.
        case bufferTooSmall(needed: Int, available: Int)

        // MARK: Layers

        /// Content of a layer that the peer cannot have made with it.
        case invalidLayer(LayerFault)
        /// A layer that cannot be opened or sealed here, because something is missing.
        case layerUnavailable(LayerNeed)
        /// Layers that make more than `limit` bytes of one packet (`max_inflated`).
        case inflatedTooLong(limit: Int)

        // MARK: Declarations and text

        /// An invalid packet layout.
        case invalidLayout(PacketLayoutFault)
        /// Text that is not pairs of hexadecimal digits; the offset counts bytes of the text.
        case invalidHex
        /// A line of a dump does not continue at the previous line's end address: a line is missing.
        case missingDumpLine
    }

    /// What is wrong with bytes that should have been UTF-8 (Unicode 16, table 3-7).
    @frozen
    public enum UTF8Fault: Equatable, Sendable {
        /// A continuation byte where a character should begin, or a byte that begins no character (F8 to FF).
        case unexpectedByte
        /// A character in more bytes than it needs; C0 and C1 always begin such a form.
        case overlong
        /// One half of a surrogate pair (U+D800 to U+DFFF).
        case surrogate
        /// A number above U+10FFFF; F5 to F7 always begin one.
        case aboveUnicode
        /// An incomplete character, at the end or before the next one.
        case truncated
    }

    /// The protocol that the first bytes belong to, instead of the declared packets.
    @nonexhaustive
    public enum MisdirectedProtocol: Equatable, Sendable {
        case http, tls, ssh, flashPolicyRequest, proxyProtocol
        /// The same layout with its length in the other byte order; `length` is its value then.
        case otherByteOrder(length: Int128)
    }
}
