// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Generates Swift from the `.wire` files in a target's folder whenever they change.
///
/// ```swift
/// .target(name: "Scene", dependencies: [.product(name: "WirelineCodec", package: "wireline")],
///     plugins: [.plugin(name: "WirelinePlugin", package: "wireline")])
/// ```
///
/// If the target depends on the product `WirelineErlang`, its messages are records of Erlang, too.
///
/// For hundreds of messages, the documentation of `WirelineSwiftGenerator` has settings that make release builds faster.
///
/// The target needs one Swift file of its own, even an empty one: SwiftPM skips targets without one before it asks a
/// plugin.
@main
struct WirelinePlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        let folder = target.directoryURL
        let inputs = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "wire" && !$0.lastPathComponent.hasPrefix(".") }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        guard !inputs.isEmpty else {
            Diagnostics.warning("\(target.name) uses WirelinePlugin, but there is no .wire file in \(folder.path)")
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "Generated")
        // Known before anything is generated: the parts of each input, and one file for the protocol.
        let partCount = try partCount(of: inputs)
        let makesRecords = target.dependencies.contains { $0.isOfRecords }
        let suffixes = [".swift"] + (1..<partCount).map { ".\($0 + 1).swift" }
        let names =
            inputs.flatMap { input in suffixes.map { input.lastPathComponent + $0 } }
            + [folder.lastPathComponent + "Protocol.swift"]
            + (makesRecords ? [folder.lastPathComponent + "Protocol+Erlang.swift"] : [])
        return [
            .buildCommand(
                displayName: "Generating Swift for \(target.name) from .wire files",
                executable: try context.tool(named: "wire-generate").url,
                arguments: [folder.path, "--out", output.path, "--parts", String(partCount)]
                    + (makesRecords ? ["--erlang"] : []),
                inputFiles: inputs,
                outputFiles: names.map { output.appending(path: $0) })
        ]
    }

    /// Returns the number of Swift files for each input: one for about 4 KiB, a power of two, at most 16.
    ///
    /// The compiler optimizes several files on several processors. After a change it repeats the last step, which takes
    /// half of the time, only for files that changed.
    private func partCount(of inputs: [URL]) throws -> Int {
        let byteCount = try inputs.reduce(0) { try $0 + ($1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) }
        var partCount = 1
        while partCount < 16, byteCount >= 8192 * partCount * inputs.count { partCount *= 2 }
        return partCount
    }
}

extension TargetDependency {
    /// Whether it is what messages need to be records of Erlang: a product of another package, or a target of this one.
    fileprivate var isOfRecords: Bool {
        switch self {
        case .product(let product): product.name == "WirelineErlang"
        case .target(let target): target.name == "WirelineErlang"
        @unknown default: false
        }
    }
}
