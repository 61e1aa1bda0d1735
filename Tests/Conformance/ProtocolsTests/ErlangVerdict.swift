// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineSchema

/// Swift's verdict on bytes that may begin with a packet, as a term for Erlang to compare.
///
///     {ok, ByteCount, Again}          Again: the packet written back, or `none` if that is refused
///     {more, ByteCount}
///     {error, Reason, Path, Offset}   Offset: `none` if there is none
struct ErlangVerdict {
    let translator: PacketTranslator
    /// The generated code, if there is any. Without it, the other bits of a NaN are not written back.
    let generated: (any PacketProtocol.Type)?

    func term(of bytes: [UInt8], in context: PacketContext) -> ErlangTerm {
        switch translator.verdict(on: bytes[...], in: context) {
        case .more(let byteCount): return .tuple([.atom("more"), .integer(Int128(byteCount))])
        case .packet(let byteCount, let line):
            let packet = Array(bytes.prefix(byteCount))
            return .tuple([.atom("ok"), .integer(Int128(byteCount)), again(packet, line, in: context)])
        case .refused(let error):
            let offset = error.offset.map { ErlangTerm.integer(Int128($0)) } ?? .atom("none")
            return .tuple([.atom("error"), error.reason.erlang, .text(error.path), offset])
        }
    }

    /// The bytes that are written for a packet that was read.
    private func again(_ bytes: [UInt8], _ line: JSONValue, in context: PacketContext) -> ErlangTerm {
        do {
            if let generated, let (_, again) = try generated.transcode(bytes, in: context) { return .binary(again) }
            return .binary(
                try translator.encode(
                    line: translator.settable(line), from: context.sender, states: context.states))
        } catch {
            return .atom("none")
        }
    }
}

extension CodecError.Reason {
    /// The reason in the form of the generated Erlang.
    fileprivate var erlang: ErlangTerm {
        switch self {
        case .truncated(let needed, let available): tuple("truncated", needed, available)
        case .varintTooLong(let maximum): tuple("varint_too_long", maximum)
        case .varintNotShortest: .atom("varint_not_shortest")
        case .invalidBoolean(let byte): tuple("invalid_boolean", Int(byte))
        case .invalidUTF8(let fault): .tuple([.atom("invalid_utf8"), .atom(fault.erlang)])
        case .invalidUTF16: .atom("invalid_utf16")
        case .invalidDigit(let byte): tuple("invalid_digit", Int(byte))
        case .invalidEscape(let first, let second?): tuple("invalid_escape", Int(first), Int(second))
        case .invalidEscape(let mark, nil): tuple("invalid_escape", Int(mark))
        case .missingTerminator: .atom("missing_terminator")
        case .trailingBytes(let count): tuple("trailing_bytes", count)
        case .tooDeep(let limit): tuple("too_deep", limit)
        case .outOfRange(let value, let minimum, let maximum): tuple("out_of_range", value, minimum, maximum)
        case .floatOutOfRange(_, let minimum, let maximum):
            // The value may be one that no double can represent.
            .tuple([.atom("float_out_of_range"), .atom("value"), .float(minimum), .float(maximum)])
        case .tooLong(let count, let limit): tuple("too_long", count, limit)
        case .unknownCase(let value), .unknownTag(let value): tuple("unknown_case", value)
        case .duplicateKey(let key): .tuple([.atom("duplicate_key"), .text(key)])
        case .invalidProperty(let text): .tuple([.atom("invalid_property"), .text(text)])
        case .lengthTooSmall(let length, let minimum): tuple("length_too_small", length, minimum)
        case .negativeSize(let size): tuple("length_too_small", size, 0)
        case .packetTooLong(let length, let byteCount, let limit):
            tuple("packet_too_long", length, byteCount, Int128(limit))
        case .lengthMismatch(let length, let expected): tuple("length_mismatch", length, expected)
        case .wrongConstant(let value, let expected): tuple("wrong_constant", value, expected)
        case .wrongChecksum(let value, let computed, _): tuple("wrong_checksum", value, UInt64(computed))
        case .numberTooLarge, .wrongItemCount, .wrongDigitCount, .wrongByteCount, .knownTag, .embeddedTerminator,
            .beginsWithTerminator,
            .endsInPadding, .gapBeforeOptional, .wrongPresence, .endOfStream, .wrongMessage, .invalidMessageID,
            .invalidHeaderField, .unknownState, .bufferTooSmall, .invalidLayout, .invalidHex, .missingDumpLine,
            .invalidLayer,
            .layerUnavailable, .inflatedTooLong:
            // Not errors of a packet without layers that is read.
            .text("\(self)")
        }
    }

    private func tuple<Number: BinaryInteger>(_ name: String, _ numbers: Number...) -> ErlangTerm {
        .tuple([.atom(name)] + numbers.map { .integer(Int128($0)) })
    }
}

extension CodecError.UTF8Fault {
    fileprivate var erlang: String {
        switch self {
        case .unexpectedByte: "unexpected_byte"
        case .overlong: "overlong"
        case .surrogate: "surrogate"
        case .aboveUnicode: "above_unicode"
        case .truncated: "truncated"
        }
    }
}
