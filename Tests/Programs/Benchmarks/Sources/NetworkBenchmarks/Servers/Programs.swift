// SPDX-License-Identifier: Apache-2.0

internal import BenchmarkSupport
internal import Foundation

/// Servers that are scripts beside the package's manifest.
enum ScriptServer: String, CaseIterable {
    case erlang
    case pythonWebSockets = "python-websockets"
    case nodeWebSockets = "node-ws"

    var speaksWebSocket: Bool { self != .erlang }

    /// What starts it; nil, and a note, where something that it needs is missing.
    var command: [String]? {
        get throws {
            guard let interpreter else {
                try noteAbsence("no row of \(rawValue)", absence)
                return nil
            }
            return interpreter + [Machine.packageDirectory.appending(path: script).path]
        }
    }

    private var script: String {
        switch self {
        case .erlang: "echo_server.erl"
        case .pythonWebSockets: "websocket_echo.py"
        case .nodeWebSockets: "websocket_echo.js"
        }
    }

    private var absence: String {
        switch self {
        case .erlang: "there is no `escript` (Debian: erlang-base)"
        case .pythonWebSockets: "no `python3` has the module `websockets` (Debian: python3-websockets)"
        case .nodeWebSockets: "there is no `node` with the module `ws` (Debian: node-ws)"
        }
    }

    private var interpreter: [String]? {
        switch self {
        case .erlang: first("escript")
        case .pythonWebSockets: first("python3", checkedBy: ["-c", "import websockets"])
        // A Node that is not the system's own does not look where the system's packages put what it may load.
        case .nodeWebSockets:
            first("node", after: ["env", "NODE_PATH=/usr/share/nodejs"], checkedBy: ["-e", "require('ws')"])
        }
    }

    /// The first program of a name that has what is needed: there may be several.
    private func first(_ name: String, after words: [String] = [], checkedBy check: [String]? = nil) -> [String]? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .map { words + ["\($0)/\(name)"] }
            .first { command in
                guard let program = command.last, FileManager.default.isExecutableFile(atPath: program) else {
                    return false
                }
                return check.map { (try? Command.output(of: command + $0)) != nil } ?? true
            }
    }
}
