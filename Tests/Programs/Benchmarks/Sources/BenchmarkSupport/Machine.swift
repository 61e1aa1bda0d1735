// SPDX-License-Identifier: Apache-2.0

internal import CLimit
package import Foundation

/// Where and with what a table was made.
package enum Machine {
    package static var description: String {
        let day = Date.now.formatted(.iso8601.year().month().day())
        return """
            \(day), \(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores, \(kernel).
            \(swiftVersion); C: \(String(cString: limit_compiler())). \(packageVersions).
            Wireline \(revision).
            """
    }

    private static var processor: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let name = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return name?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
    }

    private static var kernel: String { firstLine(["uname", "-srm"]) ?? "unknown system" }
    private static var swiftVersion: String { firstLine(["swift", "--version"]) ?? "unknown Swift" }

    private static var revision: String {
        firstLine(["git", "-C", packageDirectory.path, "describe", "--always", "--dirty"]) ?? "of an unknown revision"
    }

    private static func firstLine(_ command: [String]) -> String? {
        let text = try? Command.output(of: command)
        return text?.split(separator: "\n").first.map(String.init)
    }

    /// Where this package's manifest is.
    package static var packageDirectory: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    }

    /// What the package manager has settled on.
    private static var packageVersions: String {
        struct Resolved: Decodable {
            struct Pin: Decodable {
                struct State: Decodable { var version: String? }
                var identity: String
                var state: State
            }
            var pins: [Pin]
        }
        let file = packageDirectory.appending(path: "Package.resolved")
        guard let data = try? Data(contentsOf: file),
            let resolved = try? JSONDecoder().decode(Resolved.self, from: data)
        else { return "unknown package versions" }
        return resolved.pins
            .filter { ["swift-nio", "swift-nio-extras", "swift-nio-ssl", "swift-protobuf"].contains($0.identity) }
            .map { "\($0.identity) \($0.state.version ?? "of an unknown version")" }
            .joined(separator: ", ")
    }
}
