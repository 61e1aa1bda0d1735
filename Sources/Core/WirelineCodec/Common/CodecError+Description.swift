// SPDX-License-Identifier: Apache-2.0

extension CodecError: CustomStringConvertible {
    /// One readable line: the path, what is wrong, and what the bytes look like.
    public var description: String {
        var text = path.isEmpty ? "" : path + ": "
        text += reason.text(offset: offset)
        if let misdirectedProtocol { text += "; " + misdirectedProtocol.text(bytes: bytes) }
        return text
    }
}

extension CodecError.Reason {
    fileprivate func text(offset: Int?) -> String {
        let place = offset.map { " at offset \($0)" } ?? ""
        switch self {
        case .truncated(let needed, let available):
            return "needs \(count(needed, "byte"))\(place), \(available) \(available == 1 ? "is" : "are") left"
        case .varintTooLong(let maximum):
            return "the variable-length integer\(place) does not fit \(count(maximum, "byte")) or 64 bits"
        case .varintNotShortest:
            return "the variable-length integer\(place) is not in its shortest form"
        case .invalidBoolean(let byte):
            return "a bool is 0 or 1, the byte\(place) is \(byte)"
        case .invalidUTF8(let fault):
            return "not UTF-8\(place): \(fault.text)"
        case .invalidUTF16: return "not UTF-16\(place): half of a surrogate pair"
        case .invalidDigit(let byte):
            return offset == nil
                ? "the byte \(hexadecimal(Int128(byte))) is not a decimal digit"
                : "each half of a byte is 0 to 9, the byte\(place) is \(hexadecimal(Int128(byte)))"
        case .missingTerminator:
            return "the string\(place) has no terminating NUL"
        case .trailingBytes(let extra):
            return "\(count(extra, "byte")) after the last field\(place)"
        case .tooDeep(let limit):
            return "nested more than \(limit) deep\(place)"
        case .outOfRange, .floatOutOfRange, .numberTooLarge, .tooLong, .wrongItemCount, .wrongDigitCount,
            .wrongByteCount, .negativeSize, .unknownCase, .unknownTag, .knownTag, .embeddedTerminator,
            .beginsWithTerminator, .endsInPadding, .gapBeforeOptional, .wrongPresence, .duplicateKey,
            .invalidProperty:
            return valueText + place
        default:
            return packetText(place)
        }
    }

    private var valueText: String {
        switch self {
        case .outOfRange(let value, let minimum, let maximum):
            "\(value) is not in \(minimum)...\(maximum)"
        case .floatOutOfRange(let value, let minimum, let maximum):
            "\(shortest(value)) is not in \(shortest(minimum))...\(shortest(maximum))"
        case .numberTooLarge(let value):
            "\(shortest(value)) is too large for any field of its kind"
        case .tooLong(let length, let limit):
            "\(length) is over the limit of \(limit)"
        case .wrongItemCount(let items, let expected):
            "\(count(items, "item")) where there must be \(expected)"
        case .wrongDigitCount(let digits, let expected):
            "\(count(digits, "digit")) where there must be \(expected)"
        case .wrongByteCount(let bytes, let expected):
            "\(count(bytes, "byte")) where there must be \(expected)"
        case .negativeSize(let size):
            "a size of \(size)"
        case .unknownCase(let value):
            "\(value) is not a case of this closed enum"
        case .unknownTag(let tag):
            "no arm of this union has the tag \(tag)"
        case .knownTag(let tag):
            "an arm of this union has the tag \(tag), so it cannot be kept"
        case .embeddedTerminator:
            "a NUL inside a string that a NUL ends"
        case .beginsWithTerminator(let byte):
            "begins with \(hexadecimal(Int128(byte))), the byte that ends the list"
        case .endsInPadding(let byte):
            "ends with \(hexadecimal(Int128(byte))), the byte that fills the field"
        case .gapBeforeOptional:
            "is not set, but what follows it is"
        case .wrongPresence(let isSet):
            isSet ? "is set, but its condition does not hold" : "is not set, but its condition holds"
        case .duplicateKey(let key):
            "the key \(key.inQuotes()) stands twice"
        case .invalidProperty(let text):
            "\(text.inQuotes()) cannot be a property: a key is not empty and has no colon, and neither part a line break"
        default:
            "invalid"
        }
    }

    private func packetText(_ place: String) -> String {
        switch self {
        case .lengthTooSmall(let length, let minimum):
            "length \(hexadecimal(length)) (\(length))\(place) is under the minimum of \(minimum)"
        case .packetTooLong(let length, let byteCount, let limit):
            length == byteCount
                ? "length \(hexadecimal(length)) is over the limit of \(limit)"
                : "length \(hexadecimal(length)) makes a packet of \(byteCount) bytes, over the limit of \(limit)"
        case .lengthMismatch(let length, let expected):
            "length \(length)\(place) where \(expected) was expected"
        case .wrongConstant(let value, let expected):
            "\(hexadecimal(value))\(place) where the constant \(hexadecimal(expected)) was expected"
        case .invalidEscape(let first, let second?):
            "\(first.hexadecimal) \(second.hexadecimal)\(place) are no escape"
        case .invalidEscape(let mark, nil):
            "the start mark \(mark.hexadecimal)\(place), before the packet's end mark"
        case .wrongChecksum(let value, let computed, let checksum):
            "\(checksum.kind.displayName) \(hexadecimal(Int128(value)))\(place), "
                + "but \(checksum.range.owner) is \(hexadecimal(Int128(computed)))"
        case .endOfStream(let received, let needed):
            "the stream ended inside a packet: \(count(received, "byte")) came, \(needed) more \(needed == 1 ? "was" : "were") needed"
        case .wrongMessage(let id, let expected):
            "a packet with ID \(id) where \(expected) was expected"
        case .invalidMessageID(let id):
            "no message can have ID \(id) here"
        case .unknownState(let name): "a connection has no state `\(name)`"
        case .invalidHeaderField(let name):
            "\(name.inQuotes()) is not a header field that can be set"
        case .bufferTooSmall(let needed, let available):
            "the packet takes \(count(needed, "byte")), the buffer has room for \(available)"
        case .invalidLayer(let fault):
            "\(fault)\(place)"
        case .layerUnavailable(let need):
            "the layer is not available: \(need)"
        case .inflatedTooLong(let limit):
            "the layers make more than \(count(limit, "byte")) of the packet"
        case .invalidLayout(let fault):
            "the packet layout cannot work: \(fault)"
        case .invalidHex:
            "not pairs of hexadecimal digits\(place)"
        case .missingDumpLine:
            "lines of the dump are missing\(place)"
        default:
            "invalid\(place)"
        }
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

extension CodecError.UTF8Fault {
    fileprivate var text: String {
        switch self {
        case .unexpectedByte: "a byte that cannot begin a character"
        case .overlong: "an overlong form"
        case .surrogate: "half of a surrogate pair"
        case .aboveUnicode: "a number above U+10FFFF"
        case .truncated: "a character that breaks off"
        }
    }
}

extension CodecError.MisdirectedProtocol {
    fileprivate func text(bytes: [UInt8]) -> String {
        let ascii = String(decoding: bytes.prefix { (0x20...0x7E).contains($0) }.prefix(4), as: UTF8.self)
        switch self {
        case .http:
            // A status line comes from a server, a request line from a client (RFC 9112 §2.1).
            let sender = ascii == "HTTP" ? "server" : "client"
            return "these bytes are ASCII \"\(ascii)\": is this an HTTP \(sender)?"
        // Both sides begin with the same bytes (RFC 4253 §4.2).
        case .ssh: return "these bytes are ASCII \"\(ascii)\": does the peer speak SSH?"
        case .proxyProtocol:
            return "these bytes are ASCII \"\(ascii)\": is there a proxy that sends the PROXY protocol?"
        case .flashPolicyRequest: return "these bytes are a Flash policy request"
        case .tls: return "these bytes begin a TLS record: \(Self.tlsQuestion(bytes))"
        case .otherByteOrder(let length):
            return "in the other byte order the length is \(length): is the byte order right?"
        }
    }

    /// Asks which side speaks TLS.
    ///
    /// A client begins with a ClientHello, a server with anything else (RFC 8446 §4). The type follows the five bytes
    /// of the record's header.
    private static func tlsQuestion(_ bytes: [UInt8]) -> String {
        let (handshake, clientHello) = (0x16 as UInt8, 1 as UInt8)
        guard bytes.first == handshake else { return "is this a TLS server?" }
        guard bytes.count > 5 else { return "does the peer speak TLS?" }
        return bytes[5] == clientHello ? "is this a TLS client?" : "is this a TLS server?"
    }
}

/// Returns the shortest digits as a `float32` if that holds the number exactly, otherwise as a `float64`.
private func shortest(_ value: Double) -> String {
    Double(Float(value)) == value ? Float(value).description : value.description
}

/// Returns an even number of digits, at least two, with a minus sign before `0x` for a negative number.
private func hexadecimal(_ value: Int128) -> String {
    let digits = String(value.magnitude, radix: 16, uppercase: true)
    return (value < 0 ? "-0x" : "0x") + (digits.count % 2 == 0 ? "" : "0") + digits
}
