// SPDX-License-Identifier: Apache-2.0

/// Measured numbers, one a round, of each case and implementation.
package struct Samples {
    private var values: [String: [Double]] = [:]

    package init() {}

    package mutating func add(_ value: Double, _ caseName: String, _ implementation: String) {
        values["\(caseName)/\(implementation)", default: []].append(value)
    }

    /// The median over the rounds; nil when it was not measured.
    package func median(_ caseName: String, _ implementation: String) -> Double? {
        values["\(caseName)/\(implementation)"]?.median
    }

    /// The median of the ratios inside each round, which a disturbance hits alike; nil when one was not measured.
    ///
    /// - Parameter part: An implementation of a part that is not to count: what it took is taken off.
    package func ratio(
        _ caseName: String, _ implementation: String, less part: String? = nil, to limit: String
    ) -> Double? {
        guard var own = values["\(caseName)/\(implementation)"], let limits = values["\(caseName)/\(limit)"] else {
            return nil
        }
        if let part {
            guard let parts = values["\(caseName)/\(part)"] else { return nil }
            own = zip(own, parts).map { $0 - $1 }
        }
        return zip(own, limits).map { $0 / $1 }.median
    }
}

extension [Double] {
    fileprivate var median: Double? {
        guard !isEmpty else { return nil }
        let ordered = sorted()
        let middle = ordered.count / 2
        return ordered.count % 2 == 1 ? ordered[middle] : (ordered[middle - 1] + ordered[middle]) / 2
    }
}
