// SPDX-License-Identifier: Apache-2.0

/// How a server's memory grows with the connections that it has had.
struct Growth {
    /// How many connections there had been, and how many bytes there were.
    private var samples: [(connectionCount: Int, byteCount: Int)] = []

    mutating func add(_ byteCount: Int, after connectionCount: Int) { samples.append((connectionCount, byteCount)) }

    /// How many connections there were between the first sample and the last.
    var connectionCount: Int { (samples.last?.connectionCount ?? 0) - (samples.first?.connectionCount ?? 0) }

    /// The bytes that a connection leaves behind; 0 where there are no samples.
    ///
    /// It is the median of the slopes between any two samples (the estimator of Theil and Sen), which a few samples that
    /// are off do not change, or that between neighbours where it is less: memory that is taken once, and kept for all who
    /// come, is a step, which most neighbours know nothing of.
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
