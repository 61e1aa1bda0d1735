// SPDX-License-Identifier: Apache-2.0

/// The place of a header field that shares bytes with others.
///
/// Such fields form a run, one unsigned integer of 1 to 8 bytes (``PackedBits``). The run ends at the first byte
/// boundary where a field ends.
package struct PackedPlace: Equatable, Sendable {
    package let runByteCount: Int
    /// The byte order of the run; big-endian if it has one byte.
    package let byteOrder: ByteOrder
    package let fieldCount: Int
    /// The number of fields of the run before this one.
    package let position: Int
    /// The number of the run's bits after this field.
    package let shift: Int
    package let bitWidth: Int
    let isSigned: Bool

    package var isFirst: Bool { position == 0 }

    func value(in run: PackedBits) -> Int128 {
        isSigned
            ? Int128(run.signed(bitWidth: bitWidth, shift: shift, as: Int64.self))
            : Int128(run.unsigned(bitWidth: bitWidth, shift: shift, as: UInt64.self))
    }
}

/// An integer that can share bytes with others.
package struct PackedForm: Equatable, Sendable {
    package var format: IntegerFormat
    /// The byte order of its run; nil if the other fields of the run decide.
    package var byteOrder: ByteOrder?

    package init(_ format: IntegerFormat, _ byteOrder: ByteOrder?) {
        self.format = format
        self.byteOrder = byteOrder
    }
}

package struct PackedRuns: Sendable {
    /// The places of the fields; nil for a field that has bytes of its own.
    package private(set) var places: [PackedPlace?]
    package private(set) var fault: Fault?

    package enum Fault: Equatable, Sendable {
        /// The run ends inside a byte, because the list of fields ends.
        case ends(run: Range<Int>, bitCount: Int)
        /// The run ends inside a byte, because the next field can only begin at a byte.
        case interrupted(run: Range<Int>, bitCount: Int)
        /// A run of more than 64 bits.
        case tooLong(run: Range<Int>)
        /// The last field of the range has another byte order than the ones before it.
        case mixedOrders(run: Range<Int>)
    }

    private struct OpenRun {
        let start: Int
        var bitCount = 0
        var byteOrder: ByteOrder?
    }

    /// Finds the runs of fields in wire order.
    ///
    /// - Parameter forms: The form of each field; nil for one that cannot share bytes.
    package init(_ forms: [PackedForm?]) {
        places = Array(repeating: nil, count: forms.count)
        var open: OpenRun?
        for (index, form) in forms.enumerated() {
            guard let form else {
                if let run = open {
                    fault = fault ?? .interrupted(run: run.start..<index, bitCount: run.bitCount)
                    open = nil
                }
                continue
            }
            if open == nil, form.format.isWholeBytes { continue }
            var run = open ?? OpenRun(start: index)
            run.bitCount += form.format.bitWidth
            if let order = form.byteOrder {
                if order != run.byteOrder ?? order { fault = fault ?? .mixedOrders(run: run.start..<index + 1) }
                run.byteOrder = run.byteOrder ?? order
            }
            let isTooLong = run.bitCount > 64
            if isTooLong { fault = fault ?? .tooLong(run: run.start..<index + 1) }
            let isWhole = run.bitCount % 8 == 0
            if isWhole, !isTooLong { place(run, upTo: index + 1, forms) }
            open = isWhole || isTooLong ? nil : run
        }
        if let run = open { fault = fault ?? .ends(run: run.start..<forms.count, bitCount: run.bitCount) }
    }

    init(_ fields: [PacketField]) { self.init(fields.map { $0.format.packedForm }) }

    private mutating func place(_ run: OpenRun, upTo end: Int, _ forms: [PackedForm?]) {
        let byteCount = run.bitCount / 8
        var shift = run.bitCount
        for index in run.start..<end {
            guard let format = forms[index]?.format else { continue }
            shift -= format.bitWidth
            places[index] = PackedPlace(
                runByteCount: byteCount, byteOrder: byteCount > 1 ? run.byteOrder ?? .bigEndian : .bigEndian,
                fieldCount: end - run.start, position: index - run.start, shift: shift, bitWidth: format.bitWidth,
                isSigned: format.isSigned)
        }
    }
}

extension PacketField.Format {
    /// The form in which a field can share bytes; nil for a field that begins and ends at bytes.
    fileprivate var packedForm: PackedForm? {
        switch self {
        case .integer(let format, let byteOrder): PackedForm(format, byteOrder)
        case .bit: PackedForm(IntegerFormat(bitWidth: 1, isSigned: false), nil)
        case .boolean, .varint, .text, .digits, .bytes: nil
        }
    }
}

extension [PacketField] {
    /// The bytes that each field adds to the ones before it; nil for a varint.
    ///
    /// The first field of a run has the bytes of the whole run, and the others have none.
    var byteCounts: [Int?] {
        zip(self, PackedRuns(self).places).map { field, place in
            place.map { $0.isFirst ? $0.runByteCount : 0 } ?? field.format.byteCount
        }
    }

    /// The number of bytes of the fields that are always there, with varints at their shortest.
    var leastByteCount: Int {
        zip(self, byteCounts).reduce(0) { sum, field in field.0.condition == nil ? sum + (field.1 ?? 1) : sum }
    }
}
