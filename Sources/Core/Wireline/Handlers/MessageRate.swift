// SPDX-License-Identifier: Apache-2.0

/// A limit on the messages of a connection. It is an object, because each limit of a program counts for itself.
final class MessageRate: Sendable {
    let rate: MaximumRate

    init(count: Int, time: Duration) {
        rate = MaximumRate(count, per: time)
    }
}
