// SPDX-License-Identifier: Apache-2.0

/// How a server's memory grows with the number of its connections so far.
struct Growth {
    /// The number of connections so far, and the bytes at that time.
    private var samples: [(connectionCount: Int, byteCount: Int)] = []

    mutating func add(_ byteCount: Int, after connectionCount: Int) { samples.append((connectionCount, byteCount)) }

    /// How many connections there were between the first sample and the last.
    var connectionCount: Int { (samples.last?.connectionCount ?? 0) - (samples.first?.connectionCount ?? 0) }

    /// The bytes that a connection leaves allocated; 0 if there are no samples.
    ///
    /// It is the smaller of two medians. The first is that of the slopes between any two samples (the estimator of
    /// Theil and Sen), which a few outliers do not change. The second is that of the slopes between neighbours: memory
    /// that is allocated once, for all connections, is a step, which most neighbours do not see.
    var bytesPerConnection: Double {
        var (all, neighbours): ([Double], [Double]) = ([], [])
        for (index, late) in samples.enumerated() {
            for (other, early) in samples[..<index].enumerated() where early.connectionCount < late.connectionCount {
                let slope =
                    Double(late.byteCount - early.byteCount) / Double(late.connectionCount - early.connectionCount)
                all.append(slope)
                if other + 1 == index { neighbours.append(slope) }
            }
        }
        return min(Self.median(of: all), Self.median(of: neighbours))
    }

    private static func median(of values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}
