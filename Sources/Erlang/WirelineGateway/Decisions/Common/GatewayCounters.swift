// SPDX-License-Identifier: Apache-2.0

package struct GatewayCounters: Equatable, Sendable {
    package var openedCount: UInt64 = 0
    /// The key is the label of the reason.
    package var closedCounts: [String: UInt64] = [:]
    /// Clients that ended while they were not read, or with messages for which there was no owner.
    package var unreadEndCount: UInt64 = 0
    /// Clients that found another owner after the loss of one.
    package var resumedCount: UInt64 = 0
    /// Offers without an answer in time.
    package var ranOutOfferCount: UInt64 = 0
    /// Messages that went to a further owner, because they were not confirmed.
    package var resentCount: UInt64 = 0
    /// Refused terms, and terms too long to be read.
    package var refusedTermCount: UInt64 = 0
    /// Clients that ended because a message was longer than a term may be.
    package var lostTermCount: UInt64 = 0
    package var clientMessageCount: UInt64 = 0
    package var serverMessageCount: UInt64 = 0

    #if DEBUG
        /// How often a backend was searched for a client, for a test.
        package private(set) var searchCount = 0
    #endif

    package init() {}

    /// Only in a debug build.
    mutating func noteSearch() {
        #if DEBUG
            searchCount += 1
        #endif
    }
}
