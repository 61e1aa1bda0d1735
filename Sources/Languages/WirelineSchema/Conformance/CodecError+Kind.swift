// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

extension CodecError.Reason {
    /// The fault in one fixed word, for programs; the generated Erlang uses the same words.
    package var kind: String {
        switch self {
        case .truncated: "truncated"
        case .varintTooLong: "varint_too_long"
        case .varintNotShortest: "varint_not_shortest"
        case .invalidBoolean: "invalid_boolean"
        case .invalidUTF8: "invalid_utf8"
        case .invalidUTF16: "invalid_utf16"
        case .invalidDigit: "invalid_digit"
        case .missingTerminator: "missing_terminator"
        case .trailingBytes: "trailing_bytes"
        case .tooDeep: "too_deep"
        case .outOfRange: "out_of_range"
        case .floatOutOfRange: "float_out_of_range"
        case .numberTooLarge: "number_too_large"
        case .tooLong: "too_long"
        case .wrongItemCount, .wrongDigitCount, .wrongByteCount: "wrong_item_count"
        case .unknownCase, .unknownTag: "unknown_case"
        case .knownTag: "known_case"
        case .embeddedTerminator, .beginsWithTerminator, .endsInPadding: "embedded_terminator"
        case .gapBeforeOptional: "gap_before_optional"
        case .wrongPresence: "presence"
        case .duplicateKey: "duplicate_key"
        case .invalidProperty: "invalid_property"
        default: packetKind
        }
    }

    private var packetKind: String {
        switch self {
        case .lengthTooSmall, .negativeSize: "length_too_small"
        case .packetTooLong: "packet_too_long"
        case .lengthMismatch: "length_mismatch"
        case .wrongConstant: "wrong_constant"
        case .invalidEscape: "invalid_escape"
        case .wrongChecksum: "wrong_checksum"
        case .endOfStream: "end_of_stream"
        case .wrongMessage: "wrong_message"
        case .invalidMessageID: "invalid_message_id"
        case .unknownState: "unknown_state"
        case .invalidHeaderField: "invalid_header_field"
        case .bufferTooSmall: "buffer_too_small"
        case .invalidLayer: "invalid_layer"
        case .layerUnavailable: "layer_unavailable"
        case .inflatedTooLong: "inflated_too_long"
        default: "invalid"
        }
    }
}

extension TranslationError.Reason {
    /// The fault in one fixed word, for programs.
    package var kind: String {
        switch self {
        case .value(let reason): reason.kind
        case .json: "invalid_json"
        case .unknownMessage: "unknown_message"
        case .missing: "missing"
        case .unknownKey: "unknown_key"
        case .notOneArm: "not_one_arm"
        case .wrongKind: "wrong_kind"
        case .notAnInteger, .notIntegerText: "not_an_integer"
        case .numberTooLarge: "number_too_large"
        case .unknownName: "unknown_name"
        case .repeatedFlag: "repeated_flag"
        case .base64: "invalid_base64"
        case .differs: "differs"
        }
    }
}
