// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzingChecks
import ProtocolsSupport
import Testing
import TestingSupport

/// Runs the seeds and the findings of the fuzzers, without a fuzzer.
struct FuzzingTests {
    @Test(arguments: FuzzTarget.allCases)
    func `no seed breaks a property`(target: FuzzTarget) throws {
        let seeds = try target.seeds()
        #expect(seeds.count >= (target.isOfProtocols ? Self.protocolCount : 10))
        #expect(findings(of: target, in: seeds) == [])
    }

    @Test(arguments: FuzzTarget.allCases)
    func `earlier findings stay fixed`(target: FuzzTarget) throws {
        #expect(try findings(of: target, in: target.regressions()) == [])
    }

    @Test func `each folder of regressions belongs to a target and is not empty`() throws {
        let root = Checkout.url("Tests/Programs/Fuzzing/Regressions")
        let folders = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { !$0.hasPrefix(".") }
        let targets = FuzzTarget.allCases.filter { (try? $0.regressions().isEmpty) == false }
        #expect(folders.sorted() == targets.map(\.rawValue).sorted())
    }

    private func findings(of target: FuzzTarget, in inputs: [Seed]) -> [String] {
        inputs.compactMap { input in
            do throws(Finding) {
                try target.check(input.bytes)
                return nil
            } catch {
                return "\(input.name): \(error)"
            }
        }
    }

    /// A minimum, to notice if the files of the protocols were not found.
    private static let protocolCount = ProtocolFolder.all.count { !$0.hasLayers }
}
