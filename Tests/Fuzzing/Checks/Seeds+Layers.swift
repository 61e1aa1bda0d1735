// SPDX-License-Identifier: Apache-2.0

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

    /// Contents with keys and cuts.
    static var encrypted: [Seed] {
        contents.enumerated().flatMap { index, content in
            (UInt8(0)..<3).map { count in
                Seed("key-\(index)-\(count)", [count, 20] + [UInt8](1...48) + content)
            }
        }
    }
}
