// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzingChecks

// What libFuzzer calls. Its own options begin with one hyphen; it passes over ours, which begin with two:
//
//     --target=NAME    what is fuzzed
//     --seeds=DIR      writes the target's seeds to a folder, and does nothing else

/// The value of an option.
private func option(_ name: String) -> String? {
    let start = "--\(name)="
    return CommandLine.arguments.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
}

private let target: FuzzTarget = {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
    guard let target = option("target").flatMap(FuzzTarget.init) else { stop("--target=NAME is one of \(names)") }
    return target
}()

private func stop(_ message: String) -> Never {
    FileHandle.standardError.write(Data("error: \(message)\n".utf8))
    exit(2)
}

@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    argumentCount: UnsafeMutablePointer<CInt>?, arguments: UnsafeMutableRawPointer?
) -> CInt {
    let target = target
    guard let folder = option("seeds").map({ URL(filePath: $0, directoryHint: .isDirectory) }) else { return 0 }
    do {
        for seed in try target.seeds() { try Data(seed.bytes).write(to: folder.appending(path: seed.name)) }
    } catch {
        stop("\(error)")
    }
    exit(0)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(start: UnsafePointer<UInt8>?, count: Int) -> CInt {
    do throws(Finding) {
        try target.check(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(target.rawValue): \(error)")
    }
    return 0
}
