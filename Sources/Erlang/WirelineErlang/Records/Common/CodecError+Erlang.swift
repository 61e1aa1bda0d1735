// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

extension CodecError.Reason {
    /// The reason with the words of the generated Erlang.
    package var erlangTerm: ErlangTerm {
        switch self {
        case .truncated(let needed, let available): tuple("truncated", needed, available)
        case .varintTooLong(let maximum): tuple("varint_too_long", maximum)
        case .varintNotShortest: "varint_not_shortest"
        case .invalidBoolean(let byte): tuple("invalid_boolean", Int(byte))
        case .invalidUTF8(let fault): .tuple("invalid_utf8", .atom(ErlangAtom(fault.erlangName)))
        case .invalidUTF16: "invalid_utf16"
        case .invalidDigit(let byte): tuple("invalid_digit", Int(byte))
        case .invalidEscape(let first, let second?): tuple("invalid_escape", Int(first), Int(second))
        case .invalidEscape(let mark, nil): tuple("invalid_escape", Int(mark))
        case .missingTerminator: "missing_terminator"
        case .trailingBytes(let count): tuple("trailing_bytes", count)
        case .tooDeep(let limit): tuple("too_deep", limit)
        case .outOfRange(let value, let minimum, let maximum): tuple("out_of_range", value, minimum, maximum)
        case .floatOutOfRange(let value, let minimum, let maximum):
            .tuple(
                "float_out_of_range", ErlangTerm(float: value), ErlangTerm(float: minimum), ErlangTerm(float: maximum))
        case .numberTooLarge: "number_too_large"
        case .tooLong(let count, let limit): tuple("too_long", count, limit)
        case .wrongItemCount(let count, let expected), .wrongDigitCount(let count, let expected),
            .wrongByteCount(let count, let expected):
            tuple("wrong_item_count", count, expected)
        case .unknownCase(let value), .unknownTag(let value): tuple("unknown_case", value)
        case .knownTag(let value): tuple("known_case", value)
        case .embeddedTerminator, .beginsWithTerminator, .endsInPadding: "embedded_terminator"
        case .gapBeforeOptional: "gap_before_optional"
        case .wrongPresence(let isSet): .tuple("presence", isSet ? "set" : "not_set")
        case .duplicateKey(let key): .tuple("duplicate_key", .text(key))
        case .invalidProperty(let text): .tuple("invalid_property", .text(text))
        case .lengthTooSmall(let length, let minimum): tuple("length_too_small", length, minimum)
        case .negativeSize(let size): tuple("length_too_small", size, 0)
        case .packetTooLong(let length, let byteCount, let limit):
            tuple("packet_too_long", length, byteCount, Int128(limit))
        case .lengthMismatch(let length, let expected): tuple("length_mismatch", length, expected)
        case .wrongConstant(let value, let expected): tuple("wrong_constant", value, expected)
        case .wrongChecksum(let value, let computed, _): tuple("wrong_checksum", value, UInt64(computed))
        case .wrongMessage(let id, let expected): tuple("wrong_constant", id, expected)
        case .invalidMessageID(let id): tuple("invalid_message_id", id)
        case .invalidHeaderField(let name): .tuple("invalid_header_field", .atom(ErlangAtom(name)))
        case .unknownState(let name): .tuple("unknown_state", .atom(ErlangAtom(name)))
        case .inflatedTooLong(let limit): tuple("inflated_too_long", limit)
        case .invalidLayout(.needsContext): "needs_sender"
        case .endOfStream, .bufferTooSmall, .invalidLayout, .invalidHex, .missingDumpLine, .invalidLayer,
            .layerUnavailable:
            // Only programs in Swift meet these, so the generated Erlang has no word for them.
            .tuple("error", .text("\(self)"))
        @unknown default: .tuple("error", .text("\(self)"))
        }
    }

    private func tuple<Number: BinaryInteger>(_ name: String, _ numbers: Number...) -> ErlangTerm {
        .tuple([.atom(ErlangAtom(name))] + numbers.map { ErlangTerm($0) })
    }
}

extension ErlangRecordError {
    /// The error of a packet that cannot be written, or of a message that cannot be read.
    package init(_ error: CodecError) {
        self.init(error.reason.erlangTerm)
        if !error.path.isEmpty { self = prefixed(by: error.path) }
    }
}

extension ErlangTerm {
    /// Makes a float, or its replacement if Erlang has no such float.
    init(float value: Double) {
        if value.isFinite {
            self = .float(value)
        } else if value.isNaN {
            self = .tuple("nan", ErlangTerm(value.bitPattern))
        } else {
            self = value > 0 ? "infinity" : "neg_infinity"
        }
    }
}

extension CodecError.UTF8Fault {
    fileprivate var erlangName: String {
        switch self {
        case .unexpectedByte: "unexpected_byte"
        case .overlong: "overlong"
        case .surrogate: "surrogate"
        case .aboveUnicode: "above_unicode"
        case .truncated: "truncated"
        }
    }
}
