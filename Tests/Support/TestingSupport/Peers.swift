// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Programs of the machine that tests need: servers, interpreters, compilers.
public enum Peers {
    /// Whether one that is missing is a failure (`WIRELINE_REQUIRE_PEERS=1`). Else the tests that need it are skipped.
    public static let areRequired = environment["WIRELINE_REQUIRE_PEERS"] == "1"

    /// Whether none is found, as on a fresh machine (`WIRELINE_WITHOUT_PEERS=1`).
    public static let areHidden = environment["WIRELINE_WITHOUT_PEERS"] == "1"

    /// Where Debian installs servers, besides the folders of the `PATH`.
    private static let foldersOfServers = ["/usr/sbin", "/usr/local/sbin"]

    private static let environment = ProcessInfo.processInfo.environment

    /// Returns the path of a program; nil if it is not installed.
    public static func path(of name: String) -> String? { paths(of: name).first }

    /// Returns whether to run the tests that need a program: it is installed, or must be.
    public static func isWanted(_ name: String) -> Bool { path(of: name) != nil || areRequired }

    /// Returns the paths of all programs with a name, in the order of the `PATH`.
    static func paths(of name: String) -> [String] {
        guard !areHidden else { return [] }
        return ((environment["PATH"] ?? "").split(separator: ":").map(String.init) + foldersOfServers)
            .map { $0 + "/" + name }.filter { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
