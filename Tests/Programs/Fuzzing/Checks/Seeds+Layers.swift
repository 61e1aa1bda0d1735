// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import WirelineCodec
import WirelineLayers

extension Seed {
    private static let contents: [[UInt8]] = [
        [], [7], Array("A small market, a small market, a smaller market.".utf8), Array(0...255),
        [UInt8](repeating: 0, count: 1_000),
    ]

    /// Contents that were sealed, each with a limit that it keeps and one that it does not.
    static func streams(of kind: LayerKind) -> [Seed] {
        var end = LayerEnd([kind])
        return contents.enumerated().flatMap { index, content in
            guard case .success(let sealed) = end.seal(content) else { return [] as [Seed] }
            return [Seed("sealed-\(index)", [255, 255] + sealed), Seed("short-\(index)", [0, 40] + sealed)]
        }
    }

    /// All vectors of protocols with layers as packets, and what is inside of them as contents.
    static var layeredPackets: [Seed] {
        get throws {
            var seeds: [Seed] = []
            for (place, subject) in LayeredSubject.all.enumerated() {
                for vector in Vector.Kind.allCases.flatMap(subject.folder.vectors) {
                    let context = try vector.context()
                    let start = [UInt8(place), UInt8(subject.contexts.firstIndex(of: context) ?? 0)]
                    var inside: [UInt8] = []
                    try? vector.forEachPacket { packet, _ in inside += [UInt8](copying: packet.bytes) }
                    seeds.append(Seed(vector.name, start + [0] + (try vector.bytes())))
                    seeds.append(Seed(vector.name + "-inside", start + [1] + inside))
                }
            }
            return seeds
        }
    }

    /// Contents with keys and cuts.
    static var encrypted: [Seed] {
        contents.enumerated().flatMap { index, content in
            (UInt8(0)..<3).map { count in
                Seed("key-\(index)-\(count)", [count, 20] + [UInt8](1...48) + content)
            }
        }
    }
}
