// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport

/// The modules of the package, each in the folder `Sources/<wing>/<module>`.
enum Module {
    /// Headers, which import none of our modules.
    private static let nameOfC = "CWirelineSystem"

    static let wingsFromBelow = ["Core", "Languages", "Erlang", "Tools"]

    private static let wings: [String: String] = {
        var wings: [String: String] = [:]
        for wing in names(in: "Sources") {
            for module in names(in: "Sources/" + wing) where module != nameOfC { wings[module] = wing }
        }
        return wings
    }()

    /// The names of all modules in Swift, sorted.
    static let all = wings.keys.sorted()

    static func wing(of module: String) -> String { wings[module] ?? "" }

    /// The folder of a module, below the root of the checkout.
    static func path(_ module: String) -> String { "Sources/\(wing(of: module))/\(module)" }

    private static func names(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Checkout.url(folder).path)) ?? []
        return names.filter { !$0.hasPrefix(".") }
    }
}
