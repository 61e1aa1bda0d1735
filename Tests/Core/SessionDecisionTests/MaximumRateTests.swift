// SPDX-License-Identifier: Apache-2.0

import Testing
import Wireline

struct MaximumRateTests {
    private static let one = PeerNetwork(ipv4: 1), other = PeerNetwork(ipv4: 2)

    @Test func `so many may come at once, and then one in each part of the time`() {
        let rate = MaximumRate(4, per: .seconds(2))
        var bucket = RateBucket()
        for _ in 0..<4 { #expect(bucket.take(rate, at: .seconds(10)) == true) }
        #expect(bucket.take(rate, at: .seconds(10)) == false)
        #expect(bucket.take(rate, at: .milliseconds(10_499)) == false)
        #expect(bucket.take(rate, at: .milliseconds(10_500)) == true)
        #expect(bucket.take(rate, at: .milliseconds(10_501)) == false)
        for _ in 0..<4 { #expect(bucket.take(rate, at: .seconds(100)) == true) }
        #expect(bucket.take(rate, at: .seconds(100)) == false)
    }

    @Test(arguments: [0, -1])
    func `a rate of none in a time counts as one, and without a time there is no limit`(count: Int) {
        var bucket = RateBucket()
        #expect(bucket.take(MaximumRate(count), at: .zero) == true)
        #expect(bucket.take(MaximumRate(count), at: .zero) == false)
        for _ in 0..<10 { #expect(bucket.take(MaximumRate(1, per: .zero), at: .zero) == true) }
    }

    @Test func `who comes too fast is told how long to wait`() {
        let rate = MaximumRate(4, per: .seconds(2))
        var bucket = RateBucket()
        for _ in 0..<4 {
            #expect(bucket.wait(rate, at: .seconds(10)) == .zero)
            _ = bucket.take(rate, at: .seconds(10))
        }
        let wait = bucket.wait(rate, at: .seconds(10))
        #expect(.milliseconds(499) < wait && wait < .milliseconds(501))
        #expect(bucket.take(rate, at: .seconds(10) + wait) == true)
        #expect(bucket.wait(MaximumRate(1, per: .zero), at: .seconds(11)) == .zero)
    }

    @Test func `each peer has its own wait, also those beyond the memory`() {
        var networks = NetworkRates(MaximumRate(1), networkLimit: 1)
        #expect(networks.wait(of: Self.one, at: .zero) == .zero)
        #expect(networks.take(of: Self.one, at: .zero) == true)
        #expect(networks.wait(of: Self.one, at: .zero) > .milliseconds(900))
        #expect(networks.wait(of: Self.other, at: .zero) == .zero)
        #expect(networks.take(of: Self.other, at: .zero) == true)
        #expect(networks.wait(of: Self.other, at: .zero) > .milliseconds(900))
        #expect(networks.networkCount == 1)
    }

    @Test func `a peer that comes too fast is refused without harm to others`() {
        let (total, each) = (MaximumRate(10), MaximumRate(2))
        var limiter = ConnectionRateLimiter(total: total, perNetwork: each)
        for _ in 0..<2 { #expect(limiter.admit(from: Self.one, at: .zero) == nil) }
        for _ in 0..<100 { #expect(limiter.admit(from: Self.one, at: .zero) == .network(each)) }
        #expect(limiter.admit(from: Self.other, at: .zero) == nil)
        for _ in 0..<7 { #expect(limiter.admit(from: nil, at: .zero) == nil) }
        #expect(limiter.admit(from: nil, at: .zero) == .total(total))
        #expect(limiter.admit(from: PeerNetwork(ipv4: 3), at: .zero) == .total(total))
    }

    @Test func `without limits nothing is remembered`() {
        var limiter = ConnectionRateLimiter(total: nil, perNetwork: nil)
        for address: UInt32 in 0..<1_000 { #expect(limiter.admit(from: PeerNetwork(ipv4: address), at: .zero) == nil) }
        #expect(limiter.networkCount == 0)
    }

    @Test func `however many peers there are, nobody is refused for the others`() {
        let rate = MaximumRate(2)
        var limiter = ConnectionRateLimiter(total: nil, perNetwork: rate, networkLimit: 10)
        func admit(_ addresses: Range<UInt32>, at now: Duration) -> Int {
            addresses.count { limiter.admit(from: PeerNetwork(ipv4: $0), at: now) == nil }
        }
        #expect(admit(0..<10, at: .zero) == 10)
        #expect(admit(10..<100, at: .zero) == 90)
        #expect(limiter.networkCount == 10)
    }

    @Test(arguments: [7, 8, 9, 1_000])
    func `the peers that have done most are not forgotten`(networkLimit: Int) {
        let rate = MaximumRate(3)
        var limiter = ConnectionRateLimiter(total: nil, perNetwork: rate, networkLimit: networkLimit)
        for _ in 0..<3 { #expect(limiter.admit(from: Self.one, at: .zero) == nil) }
        for address: UInt32 in 100..<100_000 { _ = limiter.admit(from: PeerNetwork(ipv4: address), at: .zero) }
        #expect(limiter.admit(from: Self.one, at: .zero) == .network(rate))
        #expect(limiter.networkCount == networkLimit)
        // After the rate's time there is nothing to remember of it.
        for address: UInt32 in 0..<UInt32(2 * networkLimit) {
            for _ in 0..<2 { _ = limiter.admit(from: PeerNetwork(ipv4: 1_000_000 + address), at: .seconds(2)) }
        }
        #expect(limiter.admit(from: Self.one, at: .seconds(2)) == nil)
    }
}
