// SPDX-License-Identifier: Apache-2.0

extension Checker {
    /// Reports structures and unions that contain themselves.
    ///
    /// - Parameters:
    ///   - path: A path through the fields; its last field leads to `target`.
    ///   - target: A body on the path.
    func reportCycle(_ path: [StructureGraph.Step], to target: Int) {
        let path = path.drop { $0.body != target }
        guard let first = path.first, let last = path.last else { return }
        let owner = bodyName(first.body)
        let shown = path.prefix(4).map { step in
            "`\(bodyName(step.body)).\(bodyFields(step.body)[step.field].description.name)`"
        }
        let chain = shown.joined(separator: ", ") + (path.count > shown.count ? ", …" : "")
        reporter.error(
            "\(owner.quoted) contains itself, by way of \(chain)",
            at: bodyFields(last.body)[last.field].typeSpan,
            help: "let one of these fields be a list: `repeated \(owner)`")
    }

    private func bodyName(_ body: Int) -> String {
        let structures = declarations.structures
        return body < structures.count
            ? structures[body].syntax.name.text : declarations.unions[body - structures.count].syntax.name.text
    }

    private func bodyFields(_ body: Int) -> [ResolvedField] {
        body < structureFields.count ? structureFields[body] : unionFields[body - structureFields.count]
    }
}
