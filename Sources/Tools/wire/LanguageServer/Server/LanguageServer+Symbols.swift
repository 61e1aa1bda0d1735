// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension LanguageServer {
    mutating func symbols(_ params: JSONValue) throws(RPCError) -> JSONValue {
        let place = try place(params, hasPosition: false)
        let items = place.analysis.outline(of: place.file)
        let all = items + items.flatMap(\.members)
        let table = table(of: all.flatMap { [$0.span, $0.nameSpan] }, in: place.source)
        if capabilities.nestsSymbols { return .array(items.map { nested($0, table) }) }
        let uri = place.project.uri(of: place.source.path)
        return .array(
            items.flatMap { item in [flat(item, nil, uri, table)] + item.members.map { flat($0, item, uri, table) } })
    }

    mutating func symbolsOfWorkspace(_ params: JSONValue) throws(RPCError) -> JSONValue {
        let query = try params.requiredText("query").lowercased()
        var result: [JSONValue] = []
        for key in projects.keys.sorted() {
            guard let project = projects[key] else { continue }
            let analysis = analysis(of: project)
            for (file, source) in analysis.sources.enumerated() {
                let items = analysis.outline(of: file).filter {
                    $0.kind != .packet && $0.name.lowercased().contains(query)
                }
                let table = table(of: items.map(\.span), in: source)
                result += items.map { flat($0, nil, project.uri(of: source.path), table) }
            }
        }
        return .array(Array(result.prefix(limits.resultCount)))
    }

    private func nested(_ item: OutlineItem, _ table: PositionTable) -> JSONValue {
        [
            "name": .string(item.name), "detail": .string(item.detail), "kind": .integer(item.kind.number),
            "range": table.range(item.span), "selectionRange": table.range(item.nameSpan),
            "children": .array(item.members.map { nested($0, table) }),
        ]
    }

    private func flat(
        _ item: OutlineItem, _ owner: OutlineItem?, _ uri: String, _ table: PositionTable
    ) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("name", .string(item.name)), .init("kind", .integer(item.kind.number)),
            .init("location", ["uri": .string(uri), "range": table.range(item.span)]),
        ]
        if let owner { members.append(.init("containerName", .string(owner.name))) }
        return .object(members)
    }
}

extension OutlineItem.Kind {
    /// The number of LSP 3.17, "SymbolKind".
    fileprivate var number: Int128 {
        switch self {
        case .message: 5  // class
        case .structure, .union: 23
        case .enumeration, .flags: 10
        case .constant: 14
        case .packet: 19  // object
        case .field: 8
        case .enumerationCase: 22
        }
    }
}
