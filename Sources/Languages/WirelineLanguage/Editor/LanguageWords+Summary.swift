// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension AttributeKind {
    /// The effect of the attribute, in one line.
    var summary: String {
        switch self {
        case .id: "The message's ID; in the packet, the field that holds it."
        case .from: "Who sends the message: `client`, `server` or `both`."
        case .reply: "The message that answers this one, or several of which one does: `Welcome | Failure`."
        case .name: "The name in generated code."
        case .deprecated: "Why it should not be used any more; the compiler warns about uses."
        case .sensitive: "The value is hidden in logs."
        case .closed: "Numbers without a name are refused."
        case .count: "The type of the count before a string, bytes or a list; -1 says that the value is absent."
        case .size: "The bytes that a string, bytes, a list or a struct take: a number, or the type of a prefix."
        case .terminated: "The text ends at a zero byte."
        case .until: "The byte that ends a list, where an item would begin."
        case .rest: "The value goes to the end of the payload."
        case .little: "The number is little-endian."
        case .big: "The number is big-endian."
        case .range: "The smallest and the largest value."
        case .max: "The most bytes of a string, or items of a list."
        case .pad: "The byte that fills a `char` field; it is taken off the end when the field is read."
        case .utf16: "The text is UTF-16; prefixes and `char[n]` count 16-bit units."
        case .since: "The version that added the field; a packet may end before it."
        case .default: "The value of a field that is absent or not set."
        case .exampleValue: "The value that examples in the documentation show."
        case .maximumByteCount: "The most bytes of a varint."
        case .header: "The values that fields of the packet have in every packet of the message."
        case .length: "The field counts bytes: of the `packet`, the `payload`, the `rest`, or a layer's `content`."
        case .constant: "The value is always written, and checked when it is read."
        case .fit: "The first case with which the lengths can hold the packet."
        case .sequence: "The number that pairs a reply with its request, and the one that says that a request failed."
        case .condition: "The field is there exactly when the condition holds."
        case .sets: "The state that the message sets, to 1 or to a value, for the packets after its own."
        case .accept: "No warning about a cipher that does not notice changed packets: the protocol is given."
        case .tag: "The field before it that holds the tag of the union."
        case .checksum: "A checksum of the `payload`, of the `rest` or of `first..last`."
        }
    }

    /// Returns the attribute's syntax at the first of these places that allows it.
    func example(amongPlaces places: [Place]) -> String {
        example(at: places.first { self.places.contains($0) } ?? self.places.first ?? .field)
    }
}

extension BuiltinType {
    /// The size and range of a value on the wire, in one line.
    var summary: String {
        switch self {
        case .integer(let format) where !format.isWholeBytes:
            "An integer of \(format.bitWidth == 1 ? "1 bit" : "\(format.bitWidth) bits"), which shares bytes: "
                + format.rangeText + "."
        case .integer(let format):
            "An integer of \(format.byteCount) \(format.byteCount == 1 ? "byte" : "bytes"): \(format.rangeText)."
        case .float(let format): "A floating-point number of \(format.byteCount) bytes (IEEE 754)."
        case .boolean: "A byte: 0 or 1."
        case .bit: "One bit, true if it is 1, which shares a byte with the fields beside it."
        case .varint(.unsigned): "An unsigned integer of 1 to 10 bytes (LEB128)."
        case .varint(.zigzag): "A signed integer of 1 to 10 bytes (zigzag and LEB128); numbers near 0 are short."
        case .varint(.signed32): "A signed integer of 32 bits in 1 to 5 bytes (LEB128); negative numbers take 5."
        case .varint(.signed64): "A signed integer of 64 bits in 1 to 10 bytes (LEB128); negative numbers take 10."
        case .string: "Text in UTF-8, with its byte count before it."
        case .bytes: "Bytes, with their count before them."
        case .properties: "Lines of keys and values, to the end of the payload."
        }
    }
}

extension SizedType {
    /// The form of a value on the wire, in one line.
    var summary: String {
        notation?.summary ?? "Text in UTF-8 in so many bytes; it ends at the first NUL, and NULs fill it."
    }
}

extension SchemaAnalysis {
    /// Returns the explanation of the language's word at an offset: a type, an attribute or an option.
    ///
    /// - Returns: The word's place, its syntax, and its meaning; nil if there is no such word.
    package func explanation(in file: Int, at offset: Int) -> (span: SourceSpan, code: String, meaning: String)? {
        let tokens = checked.lexed[file].tokens
        let last = firstToken(of: file, endingAfter: offset)
        // The cursor may also be at a word's end.
        for index in [last, last - 1] where index >= 0 && tokens[index].kind == .name {
            let token = tokens[index]
            guard token.start <= offset, offset <= token.end else { continue }
            let word = text(of: token, in: file)
            let span = SourceSpan(file: file, start: token.start, end: token.end)
            let previous = index > 0 ? tokens[index - 1] : nil
            if previous?.kind == .at {
                return AttributeKind(rawValue: word).map { (span, $0.example(amongPlaces: []), $0.summary) }
            }
            if let type = BuiltinType(name: word) { return (span, word, type.summary) }
            if let type = SizedType(rawValue: word), tokens[index + 1].kind == .leftBracket {
                return (span, word, type.summary)
            }
            if let found = packetWord(at: token, in: file) { return (span, word, found.summary) }
            if word == "state", tokens[index + 1].kind == .name, tokens[index + 2].kind == .name {
                return (
                    span, "state bit started;",
                    "A number that belongs to the connection, and is 0 at first; conditions test it."
                )
            }
            if word == "frame", tokens[index + 1].kind == .number {
                return (span, "frame 0x7E..0x7E { … }", "Each packet stands between two marks, and is escaped.")
            }
            if let previous, previous.kind == .name, text(of: previous, in: file) == Keyword.option.rawValue {
                return OptionKind(rawValue: word).map { (span, "option " + word, "It is \($0.choices).") }
            }
        }
        return nil
    }
}
