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
        // Known before anything is generated: one file for each input, and one for the protocol.
        let names = inputs.map { $0.lastPathComponent + ".swift" } + [folder.lastPathComponent + "Protocol.swift"]
        return [
            .buildCommand(
                displayName: "Generating Swift for \(target.name) from .wire files",
                executable: try context.tool(named: "wire-generate").url,
                arguments: [folder.path, "--out", output.path],
                inputFiles: inputs,
                outputFiles: names.map { output.appending(path: $0) })
        ]
    }
}
