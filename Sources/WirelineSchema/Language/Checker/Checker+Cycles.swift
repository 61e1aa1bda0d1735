// SPDX-License-Identifier: Apache-2.0

extension Checker {
    /// The structures in an order in which each stands behind those that it holds by value; cycles are reported.
    ///
    /// A depth-first search with a stack of its own: a chain of structures may be longer than the program's stack is
    /// deep.
    func structuresInnermostFirst() -> [Int] {
        enum Mark { case new, open, done }
        var marks = Array(repeating: Mark.new, count: structureFields.count)
        var order: [Int] = []
        for start in structureFields.indices where marks[start] == .new {
            var path = [(structure: start, nextField: 0)]
            marks[start] = .open
            while let (structure, nextField) = path.last {
                guard nextField < structureFields[structure].count else {
                    marks[structure] = .done
                    order.append(structure)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].nextField += 1
                guard let inner = structureFields[structure][nextField].description.type.structureByValue else {
                    continue
                }
                switch marks[inner] {
                case .new:
                    marks[inner] = .open
                    path.append((inner, 0))
                case .open: reportCycle(path.drop { $0.structure != inner })
                case .done: break
                }
            }
        }
        return order
    }

    private func reportCycle(_ path: ArraySlice<(structure: Int, nextField: Int)>) {
        guard let first = path.first, let last = path.last else { return }
        let owner = declarations.structures[first.structure].syntax.name.text
        let shown = path.prefix(4).map { step in
            let structure = declarations.structures[step.structure].syntax
            return "`\(structure.name.text).\(structure.fields[step.nextField - 1].name.text)`"
        }
        let chain = shown.joined(separator: ", ") + (path.count > shown.count ? ", …" : "")
        reporter.error(
            "\(owner.quoted) contains itself, by way of \(chain)",
            at: structureFields[last.structure][last.nextField - 1].typeSpan,
            help: "let one of these fields be a list: `repeated \(owner)`")
    }
}

extension TypeDescription {
    /// The structure that every value holds.
    fileprivate var structureByValue: Int? {
        switch self {
        case .structure(let index): index
        case .fixedList(let element, _): element.structureByValue
        default: nil
        }
    }
}
