// SPDX-License-Identifier: Apache-2.0

/// What a gateway has done since its start.
package struct GatewayCounters: Equatable, Sendable {
    package var openedCount: UInt64 = 0
    /// By the label of the reason.
    package var closedCounts: [String: UInt64] = [:]
    /// Clients that have gone while they were not read, or without an owner for what they had said.
    package var unreadEndCount: UInt64 = 0
    /// Owners that were found for clients that had lost one.
    package var resumedCount: UInt64 = 0
    /// Offers that were not accepted in time.
    package var ranOutOfferCount: UInt64 = 0
    /// Messages that were handed to another owner than before, because nobody had confirmed them.
    package var resentCount: UInt64 = 0
    /// Terms of which nothing was done: they were refused, or too long to be read.
    package var refusedTermCount: UInt64 = 0
    /// Clients that ended because what they said was over the limit of terms.
    package var lostTermCount: UInt64 = 0
    package var clientMessageCount: UInt64 = 0
    package var serverMessageCount: UInt64 = 0

    #if DEBUG
        /// How often it was looked which process is to be asked for a client, for a test.
        package private(set) var searchCount = 0
    #endif

    package init() {}

    /// Counts a search, in a debug build.
    mutating func noteSearch() {
        #if DEBUG
            searchCount += 1
        #endif
    }
}
