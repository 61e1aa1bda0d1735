// SPDX-License-Identifier: Apache-2.0

import WirelineSession

/// How many messages a connection may send in a time. Each limit of a program counts for itself.
final class MessageRate: Sendable {
    let rate: MaximumRate

    init(count: Int, time: Duration) {
        rate = MaximumRate(count, per: time)
    }
}
