// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The interpreters of Lua that generated code is for.
public enum LuaTool {
    /// The names of all interpreters.
    public static let names = ["lua5.1", "lua5.2", "lua5.3", "lua5.4", "luajit"]

    /// The interpreters whose tests are run: those that are installed, or all if `WIRELINE_REQUIRE_PEERS=1` requires them, so that
    /// the absence of one is a failure.
    public static let wanted = names.filter {
        Peers.path(of: $0) != nil || Peers.areRequired
    }

    /// The interpreters whose tests are skipped.
    public static let missing = names.filter { !wanted.contains($0) }

    /// The interpreters whose tests of layers are run: those with the packages for them, or all if `WIRELINE_REQUIRE_PEERS=1`.
    public static let wantedWithPackages = wanted.filter { name in
        if Peers.areRequired { return true }
        let requires = ["-e", "require('zlib') require('openssl.cipher')"]
        return Peers.path(of: name).map { (try? ProgramRun.output(of: $0, requires)) != nil } ?? false
    }

    /// The message of a test that is skipped.
    public static let absenceOfPackages = "no Lua has packages for layers: install lua-zlib lua-luaossl"

    /// Looks whether the interpreters that are there can read a script.
    ///
    /// - Returns: What they say; nothing if all accept the script.
    public static func check(_ script: URL) throws -> String {
        let load = "local chunk, problem = loadfile(arg[1]); if not chunk then print(problem) end"
        return try wanted.map { name in
            guard let path = Peers.path(of: name) else { return "install \(name)\n" }
            return try ProgramRun.output(of: path, ["-e", "arg = { [[\(script.path)]] } " + load])
        }.joined()
    }

    /// Runs a script.
    ///
    /// - Parameter input: What it reads from its standard input.
    /// - Returns: What it prints.
    public static func run(
        _ name: String, _ script: URL, _ arguments: [String] = [], input: String = ""
    ) throws -> String {
        guard let path = Peers.path(of: name) else { throw ProgramRun.Failure(description: "install \(name)") }
        return try ProgramRun.output(of: path, [script.path] + arguments, input: input)
    }
}
