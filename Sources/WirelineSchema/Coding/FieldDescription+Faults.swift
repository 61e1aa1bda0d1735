// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What reading and writing check alike.
extension FieldDescription {
    /// Why an integer is refused by `@range`.
    func fault(of value: Int128) -> CodecError.Reason? {
        guard let range, !range.contains(value) else { return nil }
        return .outOfRange(value: value, minimum: range.lowerBound, maximum: range.upperBound)
    }

    /// Why a float is refused by `@range`; what is not a number is outside of every range.
    func fault(of value: Double) -> CodecError.Reason? {
        guard let range = floatRange, !range.contains(value) else { return nil }
        return .floatOutOfRange(value: value, minimum: range.lowerBound, maximum: range.upperBound)
    }

    /// Why a number of bytes or items is refused by `@max`.
    func fault(ofCount count: Int) -> CodecError.Reason? {
        guard let maximumCount, count > maximumCount else { return nil }
        return .tooLong(count: count, limit: maximumCount)
    }

    /// What holds for each item of a list: its `@range`, not its `@max`.
    var item: FieldDescription {
        guard maximumCount != nil else { return self }
        var item = self
        item.maximumCount = nil
        return item
    }
}

extension DescriptionIndex {
    /// Why a number is refused by an enum: a `@closed` one takes only what it lists.
    func fault(ofCase value: Int128, of enumeration: Int) -> CodecError.Reason? {
        let isAllowed =
            !description.enumerations[enumeration].isClosed || enumerations[enumeration].name(of: value) != nil
        return isAllowed ? nil : .unknownCase(value)
    }
}
