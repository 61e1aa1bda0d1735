// SPDX-License-Identifier: Apache-2.0

extension CodecError: CustomStringConvertible {
    /// One line for people: the path, what is wrong, and what the bytes look like.
    public var description: String {
        var text = path.isEmpty ? "" : path + ": "
        text += reason.text(offset: offset)
        if let lookalike { text += "; " + lookalike.text(bytes: bytes) }
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
        case .missingTerminator:
            return "the string\(place) has no terminating NUL"
        case .trailingBytes(let extra):
            return "\(count(extra, "byte")) behind the last field\(place)"
        case .tooDeep(let limit):
            return "nested more than \(limit) deep\(place)"
        case .outOfRange, .floatOutOfRange, .tooLong, .wrongItemCount, .unknownCase, .embeddedTerminator,
            .gapBeforeOptional, .duplicateKey, .invalidProperty:
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
        case .tooLong(let length, let limit):
            "\(length) is over the limit of \(limit)"
        case .wrongItemCount(let items, let expected):
            "\(count(items, "item")) where there must be \(expected)"
        case .unknownCase(let value):
            "\(value) is not a case of this closed enum"
        case .embeddedTerminator:
            "a NUL inside a string that a NUL ends"
        case .gapBeforeOptional:
            "is not set, but what follows it is"
        case .duplicateKey(let key):
            "the key \(quoted(key)) stands twice"
        case .invalidProperty(let text):
            "\(quoted(text)) cannot be a property: a key is not empty and has no colon, and neither part a line break"
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
        case .wrongChecksum(let value, let computed):
            "CRC-32 \(hexadecimal(Int128(value)))\(place), but the payload's is \(hexadecimal(Int128(computed)))"
        case .endOfStream(let received, let needed):
            "the stream ended inside a packet: \(count(received, "byte")) came, \(needed) more \(needed == 1 ? "was" : "were") needed"
        case .wrongMessage(let id, let expected):
            "a packet with ID \(id) where \(expected) was expected"
        case .invalidMessageID(let id):
            "no message can have ID \(id) here"
        case .invalidHeaderField(let name):
            "\(quoted(name)) is not a header field that can be set"
        case .bufferTooSmall(let needed, let available):
            "the packet takes \(count(needed, "byte")), the buffer has room for \(available)"
        case .invalidLayout(let fault):
            "the packet layout cannot work: \(fault)"
        case .invalidHex:
            "not pairs of hexadecimal digits\(place)"
        case .missingDumpLine:
            "lines of the dump are missing\(place); `hexdump` leaves out those that repeat themselves, unless told `-v`"
        default:
            "invalid\(place)"
        }
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// At most 64 characters in quotes; control and format characters are escaped, for the text may be a peer's and goes
    /// to terminals.
    private func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(64).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: String(scalar)
            }
        }
        return "\"" + scalars.joined() + "\""
    }
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

extension CodecError.Lookalike {
    fileprivate func text(bytes: [UInt8]) -> String {
        let ascii = String(decoding: bytes.prefix { (0x20...0x7E).contains($0) }.prefix(4), as: UTF8.self)
        switch self {
        case .http: return "these bytes are ASCII \"\(ascii)\": is this an HTTP server?"
        case .ssh: return "these bytes are ASCII \"\(ascii)\": is this an SSH server?"
        case .proxyProtocol:
            return "these bytes are ASCII \"\(ascii)\": is there a proxy that sends the PROXY protocol?"
        case .flashPolicyRequest: return "these bytes are a Flash policy request"
        case .tls: return "these bytes begin a TLS record: is this a TLS server?"
        case .otherByteOrder(let length):
            return "in the other byte order the length is \(length): is the byte order right?"
        }
    }
}

/// The shortest digits of a number that a `float32` holds, or else those of the `float64`; fields of both come here.
private func shortest(_ value: Double) -> String {
    Double(Float(value)) == value ? Float(value).description : value.description
}

/// `0x` and the digits, at least two and an even number of them; a minus before them for a negative number.
private func hexadecimal(_ value: Int128) -> String {
    let digits = String(value.magnitude, radix: 16, uppercase: true)
    return (value < 0 ? "-0x" : "0x") + (digits.count % 2 == 0 ? "" : "0") + digits
}
