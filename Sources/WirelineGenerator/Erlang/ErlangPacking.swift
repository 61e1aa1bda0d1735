// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Fields that share bytes, in bit syntax.
///
/// Erlang's own bits are those of a big-endian run: the first field has the most significant ones. A little-endian run
/// of several bytes is first read as an integer. The fields are then in its bytes, in big-endian order.
extension PlannedRun {
    /// Whether the fields stand in the bytes as Erlang reads them.
    var isInErlangOrder: Bool { byteOrder == .bigEndian || byteCount == 1 }

    /// The variable of the run's integer.
    var erlangInteger: String { "I\((bits.first?.field ?? 0) + 1)" }

    /// The segment of the run's integer: `I1:16/little`.
    var erlangSegment: String { "\(erlangInteger):\(8 * byteCount)/little" }

    /// Returns the segments of the fields: `X1:4, X2:12/signed`.
    ///
    /// - Parameters:
    ///   - prefix: What the names of the variables begin with.
    ///   - isSigned: Whether each field is signed, for reading; nil for writing, where constants have no variables.
    func erlangSegments(_ prefix: String, isSigned: ((Int) -> Bool)? = nil) -> String {
        bits.map { field in
            if isSigned == nil, let number = field.constant {
                return "\(ErlangTypes.segmentValue(number)):\(field.bitWidth)"
            }
            return "\(prefix)\(field.field + 1):\(field.bitWidth)"
                + (isSigned?(field.field) == true ? "/signed" : "")
        }.joined(separator: ", ")
    }
}
