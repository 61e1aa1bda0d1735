// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Says which rows there are not, because something of others' is not installed.
///
/// - Throws: ``BadUsage`` where `WIRELINE_REQUIRE_PEERS` asks for all of them.
package func noteAbsence(_ rows: String, _ reason: String) throws(BadUsage) {
    guard ProcessInfo.processInfo.environment["WIRELINE_REQUIRE_PEERS"] == nil else {
        throw BadUsage(description: "WIRELINE_REQUIRE_PEERS is set, and \(reason)")
    }
    note("\(rows): \(reason)")
}
