// SPDX-License-Identifier: Apache-2.0

extension Checker {
    /// Reports structures that contain themselves.
    ///
    /// - Parameters:
    ///   - path: A path through the fields, of which the last field leads to `target`.
    ///   - target: A structure on the path.
    func reportCycle(_ path: [StructureGraph.Step], to target: Int) {
        let path = path.drop { $0.structure != target }
        guard let first = path.first, let last = path.last else { return }
        let owner = declarations.structures[first.structure].syntax.name.text
        let shown = path.prefix(4).map { step in
            let structure = declarations.structures[step.structure].syntax
            return "`\(structure.name.text).\(structure.fields[step.field].name.text)`"
        }
        let chain = shown.joined(separator: ", ") + (path.count > shown.count ? ", …" : "")
        reporter.error(
            "\(owner.quoted) contains itself, by way of \(chain)",
            at: structureFields[last.structure][last.field].typeSpan,
            help: "let one of these fields be a list: `repeated \(owner)`")
    }
}
