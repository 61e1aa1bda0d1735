// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineLayers
import WirelineSchema
import WirelineTLS

extension Command {
    static let conform = Command(
        name: "conform",
        summary: "test an implementation of a protocol with valid and invalid packets",
        parameters: [
            Parameter(
                "VECTORS", "vector files, or folders of them (default: the protocol's Vectors/)", isOptional: true,
                isRepeated: true)
        ],
        options: [
            .protocolFolder, .command, .adapter, .target, .timeout, .strict, .generate, .seed, .write, .sender,
            .state, .key, .filter, .expectedFailures, .junit, .everything,
        ] + TLSOptions.clientOptions + NetworkOptions.clientOptions,
        example: "wire conform --protocol Protocols/Scene --generate 100",
        run: { arguments, console throws(CommandError) in
            try requireOneSubject(arguments)
            let folder = try protocolFolder(arguments)
            let description = try folder.describe(console)
            let translator = PacketTranslator(description)
            let states = try description.states(arguments)
            if arguments.has(.adapter) {
                return try Adapter(translator: translator, protocolName: folder.name).run(console)
            }
            let timeout = try TimeSpan(arguments[.timeout] ?? "5s", of: .timeout)
            let (vectors, isWhole) = try vectors(arguments, folder, translator, states)
            let interruption = Interruption()
            let program = arguments[.command].map {
                ProgramImplementation($0, translator, protocol: folder.name, timeout: timeout, interruption)
            }
            defer { program?.finish() }
            let cases: (ConformanceVector) -> [ConformanceCase]
            if let target = try target(arguments, timeout, vectors, translator, states, interruption) {
                try await target.requireServer()
                cases = target.cases
            } else {
                let checks = ConformanceChecks(
                    translator: translator, implementation: program ?? CodecImplementation(translator),
                    isStrict: program == nil || arguments.has(.strict), isOwn: program == nil)
                cases = checks.cases
            }
            let run = ConformanceRun(
                title: folder.name, vectors: vectors, cases: try filtered(cases, of: vectors, arguments),
                expectedFailures: try expectedFailures(arguments), isWhole: isWhole,
                isVerbose: arguments.has(.everything), interruption: interruption)
            Signals.takeOver { interruption.request() }
            try await report(run, arguments, console)
        })

    /// Throws unless the arguments name one implementation: this project's codec, a program or a server.
    private static func requireOneSubject(_ arguments: Arguments) throws(CommandError) {
        let subjects = [Option.command, .adapter, .target].filter(arguments.has)
        guard subjects.count < 2 else {
            throw .usage("\(subjects[0].name) and \(subjects[1].name) do not go together")
        }
        guard !arguments.has(.target) else { return }
        let options = TLSOptions.clientOptions + NetworkOptions.clientOptions
        guard let option = options.first(where: arguments.has) else { return }
        throw .usage("\(option.name) goes with \(Option.target.usage)")
    }

    private static func target(
        _ arguments: Arguments, _ timeout: TimeSpan, _ vectors: ConformanceVectors, _ translator: PacketTranslator,
        _ states: PacketStates, _ interruption: Interruption
    ) throws(CommandError) -> LiveTarget? {
        guard let text = arguments[.target] else { return nil }
        let keys = try serverKeys(arguments, translator.description)
        let translator = (try? translator.withKeys(keys)) ?? translator
        let endpoint = try HostAndPort(text, of: Option.target.name)
        let tls = try TLSOptions.client(arguments)
        var configuration = ClientConfiguration(
            dialing: DialingOptions(tls: tls?.context, tlsServerName: tls?.serverName))
        try NetworkOptions.apply(arguments, to: &configuration)
        return LiveTarget(
            endpoint: endpoint, timeout: timeout, configuration: configuration, translator: translator,
            keys: Set(keys), goodPacket: Self.goodPacket(among: vectors, states, Set(keys), translator), states: states,
            interruption: interruption)
    }

    /// Returns the keys for a server's layers. All of them must be known.
    private static func serverKeys(
        _ arguments: Arguments, _ description: ProtocolDescription
    ) throws(CommandError) -> [LayerKey] {
        let keys = try arguments.layerKeys(of: description)
        for kind in description.layout.content.layers.map(\.kind) {
            if case .custom(let name) = kind {
                throw .failure("\(Option.target.name): `wire` does not have the transform `\(name)` of its layers")
            }
            for name in kind.keyNames {
                guard let side = LayerKey.missingSides(of: name, in: keys).first else { continue }
                let text = side.map { "\($0.rawValue).\(name)" } ?? name
                throw .failure(
                    "\(Option.target.name) needs the server's key `\(text)`", hint: "\(Option.key.name) \(text)=HEX")
            }
        }
        return keys
    }

    /// Returns a packet that a client can send and a server can return.
    private static func goodPacket(
        among vectors: ConformanceVectors, _ states: PacketStates, _ keys: Set<LayerKey>,
        _ translator: PacketTranslator
    ) -> [UInt8]? {
        vectors.first { vector in
            guard vector.kind == .exact, LiveTarget.isUsable(vector, states, keys, translator) else { return false }
            return LiveTarget.echo(of: vector.bytes, states, translator) != nil
        }?.bytes
    }

    private static func expectedFailures(_ arguments: Arguments) throws(CommandError) -> ExpectedFailures {
        guard let path = arguments[.expectedFailures] else { return .none }
        return try ExpectedFailures(file: path)
    }

    private static func report(
        _ run: ConformanceRun, _ arguments: Arguments, _ console: Console
    ) async throws(CommandError) {
        let tally = try await run.tally(keepsResults: arguments.has(.junit), console)
        try console.print(run.summary(of: tally))
        if let path = arguments[.junit] {
            do throws(SystemError) {
                let report = JUnitReport(title: run.title, results: tally.results)
                try System.replaceFile(path, with: Array(report.text.utf8))
            } catch {
                throw .failure("cannot write \(path): \(error.reason)")
            }
        }
        guard !run.interruption.isRequested else { throw .failure(tally.textOfMissed) }
        guard tally.isGood else { throw .answerIsNo }
    }

    // MARK: Vectors and checks

    /// Returns the named folder, or the folder of the first vectors.
    private static func protocolFolder(_ arguments: Arguments) throws(CommandError) -> ProtocolFolder {
        guard arguments[.protocolFolder] == nil, let word = arguments.word(at: 0) else {
            return try ProtocolFolder(arguments[.protocolFolder])
        }
        var path = System.absolutePath(of: word)
        while let place = path, place != "/", !place.isEmpty {
            let names = (try? System.names(inFolder: place)) ?? []
            if names.contains(where: { $0.hasSuffix(".wire") }) { return try ProtocolFolder(place) }
            path = place.lastIndex(of: "/").map { String(place[..<$0]) }
        }
        return try ProtocolFolder(nil)
    }

    /// Returns the vectors, and whether they are all vectors of the protocol.
    private static func vectors(
        _ arguments: Arguments, _ folder: ProtocolFolder, _ translator: PacketTranslator, _ states: PacketStates
    ) throws(CommandError) -> (ConformanceVectors, isWhole: Bool) {
        let keys = try arguments.layerKeys(of: translator.description)
        let files = VectorFiles(translator: translator, states: states, keys: keys)
        var inFiles: [ConformanceVector] = []
        var maker: VectorMaker?
        let usual = folder.path.joiningPath("Vectors")
        let hasUsual = (try? System.kind(of: usual)) == .folder
        let words = arguments.words.isEmpty && hasUsual ? [usual] : arguments.words
        for word in words { inFiles += try files.vectors(at: word) }
        if let count = arguments[.generate] {
            let count = Int(try WholeNumber.value(of: count, in: 1...1_000_000, of: .generate))
            let seed = try arguments[.seed].map { text throws(CommandError) in
                try WholeNumber.value(of: text, in: 0...UInt64.max, of: .seed)
            }
            if let (name, error) = VectorMaker.unwritableMessages(of: translator.description, keys: keys).first {
                throw .failure("no packet of \(name) can be made: \(error)")
            }
            maker = VectorMaker(of: translator.description, count: count, seed: seed ?? 1, keys: keys)
        } else {
            for option in [Option.write, .seed] where arguments.has(option) {
                throw .usage("\(option.name) goes with \(Option.generate.usage)")
            }
        }
        try requireOwnNames(inFiles, maker, writingTo: arguments[.write], files, folder)
        let vectors = ConformanceVectors(inFiles: inFiles, maker: maker, sender: arguments[.sender])
        guard vectors.contains(where: { _ in true }) else {
            throw .failure("there are no vectors in \(usual)", hint: "--generate 100 makes some from the schema")
        }
        return (vectors, arguments.words.isEmpty && !arguments.has(.filter) && !arguments.has(.sender))
    }

    /// Writes the vectors that are made, if wanted, and compares all names.
    private static func requireOwnNames(
        _ inFiles: [ConformanceVector], _ maker: VectorMaker?, writingTo path: String?, _ files: VectorFiles,
        _ folder: ProtocolFolder
    ) throws(CommandError) {
        var progress = ProgressLine(of: "\(folder.name), making vectors")
        defer { progress.clear() }
        var names: Set<String> = []
        var double = inFiles.first { !names.insert($0.name).inserted }
        // The names of the made ones have different numbers.
        if var maker, path != nil || !names.isEmpty {
            while let vector = maker.next() {
                progress.showSometimes(maker.progress)
                if let path { try files.write([vector], to: path) }
                if double == nil, names.contains(vector.name) { double = vector }
            }
        }
        if let double { throw .failure("two vectors are named \(double.name)") }
    }

    /// Keeps the checks whose names contain the filter's text. A `*` matches any text.
    private static func filtered(
        _ cases: @escaping (ConformanceVector) -> [ConformanceCase], of vectors: ConformanceVectors,
        _ arguments: Arguments
    ) throws(CommandError) -> (ConformanceVector) -> [ConformanceCase] {
        guard let text = arguments[.filter] else { return cases }
        let parts = text.split(separator: "*")
        let chosen = { (vector: ConformanceVector) in
            cases(vector).filter { item in
                var rest = item.name[...]
                for part in parts {
                    guard let range = rest.firstRange(of: part) else { return false }
                    rest = rest[range.upperBound...]
                }
                return true
            }
        }
        guard vectors.contains(where: { !chosen($0).isEmpty }) else {
            throw .failure("no check's name has `\(text)` in it")
        }
        return chosen
    }
}

extension Option {
    fileprivate static let command = Option(
        "--command", value: "'PROGRAM ARG…'",
        "test this program instead of the built-in codec; it replies with lines of JSON")
    fileprivate static let adapter = Option(
        "--adapter", "act as such a program: answer the lines of standard input with the built-in codec")
    fileprivate static let target = Option(
        "--target", value: "HOST:PORT", "test this server, which must return each packet unchanged")
    fileprivate static let timeout = Option(
        "--timeout", value: "TIME",
        "the time limit for each reply, and for connecting: 500ms, 5s, 2m (default 5s); a program's first reply may "
            + "take ten times as long"
    )
    fileprivate static let strict = Option(
        "--strict",
        "require errors to name the reason, the field and the byte; without this, only what they name is checked")
    fileprivate static let generate = Option(
        "--generate", value: "N",
        "also test N vectors made from the schema: the limits of every type, and invalid packets")
    fileprivate static let seed = Option(
        "--seed", value: "N", "the seed for --generate: equal seeds make equal vectors (default 1)")
    fileprivate static let write = Option(
        "--write", value: "DIR", "write the vectors of --generate to files in this folder")
    fileprivate static let sender = Option(
        "--from", choices: Sender.allCases.map(\.rawValue), "use only packets that this side sends")
    fileprivate static let filter = Option(
        "--filter", value: "TEXT", "run only checks whose names contain this text; * stands for any text")
    fileprivate static let expectedFailures = Option(
        "--expected-failures", value: "FILE",
        "a file with the names of checks that are known to fail, one a line; they must fail")
    fileprivate static let junit = Option("--junit", value: "FILE", "also write the results as JUnit XML")
    fileprivate static let everything = Option("--verbose", "also print a line for each check that passes")
}
