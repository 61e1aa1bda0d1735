// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

extension LanguageServer {
    /// Sends the diagnostics of all protocols that have changed.
    ///
    /// The caller calls this when no more input has arrived. If an editor sends a change for each key, the server
    /// reports only on the last one.
    package mutating func publishProblems() {
        guard phase == .running else { return }
        for key in projects.keys.sorted() {
            guard let project = projects[key], project.hasChanged else { continue }
            if project.open.isEmpty {
                for publication in project.published.values.sorted(by: { $0.uri < $1.uri }) { withdraw(publication) }
                projects[key] = nil
            } else {
                publish(project)
            }
        }
    }

    private mutating func publish(_ project: Project) {
        let analysis = analysis(of: project)
        project.markPublished()
        let problems = Dictionary(grouping: analysis.problems, by: \.span.file)
        let tables = positionTables(of: analysis)
        var missing = project.published
        for (file, source) in analysis.sources.enumerated() {
            let list = (problems[file] ?? []).map { json($0, in: project, analysis, tables) }
            let publication = Project.Publication(
                uri: project.uri(of: source.path), version: project.open[source.path]?.version,
                diagnostics: .array(list))
            let old = missing.removeValue(forKey: source.path)
            if let old, old.uri != publication.uri { withdraw(old) }
            let isNews = list.isEmpty && publication.version == nil ? old.map { !$0.isEmpty } ?? false : true
            if isNews, old != publication { send(publication) }
            project.published[source.path] = publication
        }
        for (name, old) in missing.sorted(by: { $0.key < $1.key }) {
            withdraw(old)
            project.published[name] = nil
        }
    }

    private mutating func withdraw(_ publication: Project.Publication) {
        guard !publication.isEmpty else { return }
        send(Project.Publication(uri: publication.uri, version: nil, diagnostics: []))
    }

    private mutating func send(_ publication: Project.Publication) {
        var members = [JSONValue.Member("uri", .string(publication.uri))]
        if let version = publication.version { members.append(.init("version", .integer(Int128(version)))) }
        members.append(.init("diagnostics", publication.diagnostics))
        notify("textDocument/publishDiagnostics", .object(members))
    }

    /// Returns a table for each file, with the positions of all its problems.
    private func positionTables(of analysis: SchemaAnalysis) -> [PositionTable] {
        var offsets = Array(repeating: [Int](), count: analysis.sources.count)
        for problem in analysis.problems {
            for span in [problem.span] + problem.related.map(\.span) {
                offsets[span.file] += [span.start, max(span.start, span.end)]
            }
        }
        return zip(offsets, analysis.sources).map { PositionTable($0, in: $1, capabilities.encoding) }
    }

    private func json(
        _ problem: Problem, in project: Project, _ analysis: SchemaAnalysis, _ tables: [PositionTable]
    ) -> JSONValue {
        let diagnostic = problem.diagnostic
        let text = diagnostic.message + (diagnostic.hint.map { "\nhelp: " + $0 } ?? "")
        var members: [JSONValue.Member] = [
            .init("range", tables[problem.span.file].range(problem.span)),
            .init("severity", diagnostic.severity == .error ? 1 : 2),
            .init("source", "wire"),
            .init("message", .string(text)),
        ]
        if capabilities.showsRelatedPlaces, !problem.related.isEmpty {
            let places = problem.related.map { place -> JSONValue in
                let uri = project.uri(of: analysis.sources[place.span.file].path)
                return [
                    "location": ["uri": .string(uri), "range": tables[place.span.file].range(place.span)],
                    "message": .string(place.message),
                ]
            }
            members.append(.init("relatedInformation", .array(places)))
        }
        return .object(members)
    }
}

extension Project.Publication {
    fileprivate var isEmpty: Bool { diagnostics == [] }
}
