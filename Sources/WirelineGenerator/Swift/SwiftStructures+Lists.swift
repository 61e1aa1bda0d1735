// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

extension SwiftStructures {
    /// What reads, measures and writes lists of a structure, if there are any.
    ///
    /// It stands once a structure and out of line: a copy in every message that has such a list is what keeps a
    /// compiler longest, and makes nothing faster.
    func writeListCoding(at index: Int, of name: SwiftTypeName, to source: inout SwiftSource) {
        guard types.listed.contains(index) else { return }
        let footprint = types.footprint(.structure(index))
        let countsDepth = types.depthCounting.contains(index)
        source.blank()
        source.block("extension [\(name.reference)]") { source in
            writeListReading(minimumByteCount: max(1, footprint.minimumByteCount), to: &source)
            // Items that are all of one size and need no check are counted by a product.
            if footprint.fixedByteCount == nil || footprint.needsCheck || countsDepth {
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
