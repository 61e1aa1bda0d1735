// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineTransport

/// How durations are counted.
struct HistogramTests {
    private static let bounds: [Duration] = [.milliseconds(1), .milliseconds(10)]

    @Test(
        arguments: [
            (Duration.nanoseconds(-5), 0), (.zero, 0), (.nanoseconds(1_000_000), 0), (.nanoseconds(1_000_001), 1),
            (.milliseconds(10), 1), (.nanoseconds(10_000_001), 2), (.seconds(Int64.max), 2),
        ])
    func `a duration belongs to the first bucket whose bound it does not exceed`(duration: Duration, bucket: Int) {
        var histogram = Histogram(bounds: Self.bounds)
        histogram.record(duration)
        #expect(histogram.bucketCounts == (0..<3).map { $0 == bucket ? 1 : 0 })
        #expect(histogram.count == 1)
    }

    @Test func `histograms add up, as if all durations had been counted in one`() {
        var (left, right, both) = (Histogram(), Histogram(), Histogram())
        for step in 0..<40 {
            let duration = Duration.nanoseconds(Int64(1) << step)
            if step.isMultiple(of: 3) { left.record(duration) } else { right.record(duration) }
            both.record(duration)
        }
        left += right
        #expect(left == both)
        #expect(both.count == 40 && both.longest == .nanoseconds(Int64(1) << 39))
        #expect(both.sum == .nanoseconds((Int64(1) << 40) - 1))
    }

    @Test func `a sum stops at its limit`() {
        var histogram = Histogram()
        for _ in 0..<3 { histogram.record(.seconds(Int64.max)) }
        #expect(histogram.sum == .nanoseconds(Int64.max))
        #expect(histogram.longest == .nanoseconds(Int64.max))
        histogram += histogram
        #expect(histogram.count == 6 && histogram.sum == .nanoseconds(Int64.max))
    }

    @Test func `the usual bounds ascend, and reach from microseconds to seconds`() {
        let bounds = Histogram().bounds
        #expect(bounds == Histogram.usualBounds && bounds == bounds.sorted())
        #expect(bounds.first == .microseconds(10) && bounds.last == .seconds(10))
        #expect(Histogram().bucketCounts == Array(repeating: 0, count: bounds.count + 1))
    }
}
