// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

extension CodecError {
    /// The error without any received value or byte of a message, because it may belong to a hidden field.
    ///
    /// It has the field, the offset and the fault. For lengths and constants before the messages it also has the
    /// numbers.
    package var shownText: String {
        guard path.isEmpty else { return "\(path): \(textHidingValues)" }
        return switch reason {
        case .packetTooLong, .lengthTooSmall, .lengthMismatch, .wrongConstant, .endOfStream, .wrongMessage:
            CodecError(reason, offset: offset).description
        default: textHidingValues
        }
    }

    private var textHidingValues: String {
        let place = offset.map { " at offset \($0)" } ?? ""
        return switch reason {
        // The needed number may have been received: the length of a text.
        case .truncated(_, let available): "needs more bytes than are left\(place): \(available)"
        case .invalidUTF16: "the text\(place) is not UTF-16"
        case .invalidDigit: "a half of the byte\(place) is not 0 to 9"
        case .invalidBoolean: "a bool is 0 or 1, the byte\(place) is neither"
        case .outOfRange(_, let minimum, let maximum): "the value\(place) is not in \(minimum)...\(maximum)"
        case .floatOutOfRange: "the value\(place) is not in its range"
        case .numberTooLarge: "the value\(place) is too large"
        case .tooLong(_, let limit): "the length\(place) is over the limit of \(limit)"
        case .unknownCase: "the value\(place) is not a case of this closed enum"
        case .unknownTag: "no arm of the union has the tag\(place)"
        case .knownTag: "an arm of the union has the kept tag\(place)"
        case .duplicateKey: "a key stands twice\(place)"
        case .invalidProperty: "a line\(place) is no property"
        case .wrongConstant: "the value\(place) is not the constant"
        case .wrongChecksum(_, _, let checksum): "the checksum\(place) is not that of the \(checksum.range.shownName)"
        case .varintTooLong, .varintNotShortest, .invalidUTF8, .missingTerminator, .trailingBytes, .tooDeep,
            .wrongItemCount, .wrongDigitCount, .wrongByteCount, .negativeSize, .embeddedTerminator,
            .beginsWithTerminator, .endsInPadding, .gapBeforeOptional, .invalidLayer, .layerUnavailable,
            .inflatedTooLong:
            CodecError(reason, offset: offset).description
        default: "not what the schema says\(place)"
        }
    }
}

extension PacketChecksum.Range {
    fileprivate var shownName: String {
        switch self {
        case .payload: "payload"
        case .rest: "rest"
        case .parts: "bytes \(self)"
        }
    }
}
