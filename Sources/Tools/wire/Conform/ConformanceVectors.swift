// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// The vectors of files, and then those that are made from the schema.
///
/// Those are made again each time, because they take too much memory: a million take gigabytes.
struct ConformanceVectors: Sequence {
    let inFiles: [ConformanceVector]
    let maker: VectorMaker?
    /// Leaves out the vectors of other senders; nil leaves out none.
    let sender: String?

    struct Iterator: IteratorProtocol {
        fileprivate var inFiles: ArraySlice<ConformanceVector>
        fileprivate let fileCount: Int
        fileprivate var maker: VectorMaker?
        fileprivate let sender: String?

        /// The finished part, from 0 to 1.
        var progress: Double { maker?.progress ?? 1 - Double(inFiles.count) / Double(fileCount) }

        mutating func next() -> ConformanceVector? {
            while let vector = inFiles.popFirst() ?? maker?.next() {
                if sender == nil || vector.sender.rawValue == sender { return vector }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator {
        Iterator(inFiles: inFiles[...], fileCount: inFiles.count, maker: maker, sender: sender)
    }
}
