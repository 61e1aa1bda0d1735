// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension SwiftStructures {
    /// Writes functions that read, measure and write lists of a structure, if there are any.
    ///
    /// They are written once for each structure, and are not inlined. A copy in every message with such a list would
    /// cost most compile time, and is not faster.
    func writeListCoding(at index: Int, of name: SwiftTypeName, to source: inout SwiftSource) {
        guard types.plan.structuresInCountedLists.contains(index) else { return }
        let type = TypeDescription.structure(index)
        let countsDepth = types.plan.structures[index].countsDepth
        source.blank()
        source.block("extension [\(name.reference)]") { source in
            writeListReading(minimumByteCount: types.plan.itemByteCount(of: type), to: &source)
            // Items of a fixed size that need no check are counted by multiplication.
            if types.plan.fixedByteCount(of: type) == nil || types.plan.needsCheck(type) || countsDepth {
                source.blank()
                writeListSizing(countsDepth: countsDepth, to: &source)
            }
            source.blank()
            source.line("@inline(never)")
            source.block("func writePayload(to writer: inout WirelineCodec::ByteWriter)") { source in
                source.line("for value in self { value.writePayload(to: &writer) }")
            }
        }
    }

    private func writeListReading(minimumByteCount: Int, to source: inout SwiftSource) {
        let parameters = "_ count: Swift::Int, from reader: inout WirelineCodec::ByteReader, item: inout Swift::Int"
        source.line("@inline(never)")
        source.block("static func read(\(parameters)) \(SwiftBody.codecThrows) -> Self") { source in
            source.line("var list: Self = []")
            source.line("list.reserveCapacity(reader.itemCapacity(count, minimumByteCount: \(minimumByteCount)))")
            source.line("item = 0")
            source.block("while item < count") { source in
                source.line("list.append(try .init(from: &reader))")
                source.line("item += 1")
            }
            source.line("item = -1")
            source.line("return list")
        }
    }

    private func writeListSizing(countsDepth: Bool, to source: inout SwiftSource) {
        let parameters = "\(countsDepth ? "depth: Swift::Int, " : "")item: inout Swift::Int"
        source.line("@inline(never)")
        source.block("func payloadByteCount(\(parameters)) \(SwiftBody.codecThrows) -> Swift::Int") { source in
            source.line("var byteCount: Swift::Int = 0")
            source.line("item = 0")
            source.block("for value in self") { source in
                source.line("byteCount += try value.payloadByteCount(\(countsDepth ? "depth: depth" : ""))")
                source.line("item += 1")
            }
            source.line("item = -1")
            source.line("return byteCount")
        }
    }
}
