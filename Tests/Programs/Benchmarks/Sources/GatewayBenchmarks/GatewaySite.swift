// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import CNetwork
internal import Foundation
internal import WirelineGenerator

/// The gateways. Each runs in a process of its own.
enum Gateway: String, CaseIterable {
    /// `ErlangGateway`.
    case wireline
    /// `gateway.erl`, with the flags that Erlang has by default.
    case erlang
    /// The same. Its schedulers do not wait busily, which counts as processor time.
    case erlangWithoutBusyWaiting = "erlang +sbwt none"
}

/// A backend in Erlang, and what gateways need to be started.
struct GatewaySite {
    static let backend = "bench@127.0.0.1"

    private let cluster: ErlangCluster
    /// The compiled modules of Erlang's gateway.
    private let folder: URL
    private let threadCount: Int

    init(threadCount: Int) throws {
        self.threadCount = threadCount
        folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in ErlangGenerator(try SceneSchema.description()).files() {
            try Data(file.text.utf8).write(to: folder.appending(path: file.path))
        }
        let gateway = Machine.packageDirectory.appending(path: "gateway.erl").path
        let module = folder.appending(path: "scene_protocol.erl").path
        try Command.output(of: ["erlc", "-I", folder.path, "-o", folder.path, module, gateway])
        cluster = try ErlangCluster()
        _ = try cluster.start(Self.backend, "gateway_backend.escript")
        setenv("ERL_EPMD_PORT", "\(cluster.epmdPort)", 1)
    }

    func stop() {
        cluster.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    private func command(_ gateway: Gateway) -> [String] {
        switch gateway {
        case .wireline:
            [CommandLine.arguments[0], "--serve", "\(cluster.epmdPort)", "--threads", "\(threadCount)"]
        case .erlang: erlang([])
        case .erlangWithoutBusyWaiting: erlang(["+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none"])
        }
    }

    private func erlang(_ flags: [String]) -> [String] {
        ["erl"] + flags + [
            "-noinput", "-name", "gateway@127.0.0.1", "-setcookie", ErlangCluster.cookie, "-pa", folder.path, "-eval",
            "gateway:start([\"\(Self.backend)\"])",
        ]
    }

    /// Starts a gateway, and stops it after its use.
    func run<Value>(_ gateway: Gateway, _ body: (network_server) throws -> Value) throws -> Value {
        var (process, failure) = (network_server(), network_failure())
        let words = command(gateway).map { strdup($0) }
        defer {
            for word in words { free(word) }
        }
        // The system places gateway, backend and load on the processors.
        guard network_start(words.map { UnsafePointer($0) } + [nil], -1, &process, &failure) else {
            throw GatewayFailure(gateway.rawValue, failure)
        }
        let result = Result { try body(process) }
        guard network_stop(&process, &failure) else { throw GatewayFailure(gateway.rawValue, failure) }
        return try result.get()
    }
}

/// A gateway has not done what all have to do.
struct GatewayFailure: Error, CustomStringConvertible {
    let description: String

    init(description: String) { self.description = description }

    init(_ place: String, _ failure: network_failure) {
        let text = withUnsafeBytes(of: failure.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        description = "\(place): \(text)"
    }
}
