// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// Java, compiled as Java 8.
enum JavaLanguage: AdapterLanguage {
    static let shared = Result { try AdapterSamples(JavaLanguage.self) }

    static func sample(_ name: String) throws -> AdapterSample {
        try #require(shared.get().samples[name])
    }

    static let name = "Java"

    static func files(_ description: ProtocolDescription) throws -> [GeneratedFile] {
        try JavaGenerator(description).files()
    }

    static func adapter(_ description: ProtocolDescription) throws -> GeneratedFile {
        try JavaGenerator(description).adapter()
    }

    static func compile(_ samples: [AdapterSample]) throws -> String {
        try JavaTool.compile(samples.map(\.folderOfModule).sorted { $0.path < $1.path })
    }

    /// The words of Java, classes of its library, and what generated code calls its variables.
    private static let words = """
        abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally
        float for goto if implements import instanceof int interface long native new package private protected public return short
        static strictfp super switch synchronized this throw throws transient try void volatile while true false null var yield
        record sealed permits _ __ a A Object String Integer Long Float Double Boolean Byte Short Character Math System Thread
        Override Deprecated Error Exception RuntimeException Throwable Iterable Enum Record Class Void java javax util lang io Map
        List Arrays hashCode toString equals getClass notify wait clone finalize main length values valueOf messageName messageId
        read write verify fix copy kind path offset tag bytes value trailing payload id header message byteCount r w h m f t v p s
        e a0 b0 c0 i1 n2 v3 x4 y5 z6 q0 k0 o1 end start gap total body at fit found count position index enter leave
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static func reservedNames(declaredIn module: String) -> [String] {
        words
            + module.matches(of: /(?m)\b(?:class|interface|enum) (\w+)|\b(\w+)\([^()]*\)(?: throws \w+)? \{/).compactMap
        {
            ($0.1 ?? $0.2).map { String($0) }
        }
    }
}

extension AdapterSample {
    /// The folder in which the module and what is compiled of it are.
    var folderOfModule: URL { module.deletingLastPathComponent() }
    /// The name of the adapter's class, and of its file.
    var adapterName: String { adapter.deletingPathExtension().lastPathComponent }
    /// The name of the module's class, and of its file.
    var moduleName: String { module.deletingPathExtension().lastPathComponent }
}
