// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineGenerator
import WirelineSchema

/// C#, compiled by Mono.
enum CSharpLanguage: AdapterLanguage {
    static let shared = Result { try AdapterSamples(CSharpLanguage.self) }

    static func sample(_ name: String) throws -> AdapterSample {
        try #require(shared.get().samples[name])
    }

    static let name = "CSharp"

    static func files(_ description: ProtocolDescription) throws -> [GeneratedFile] {
        try CSharpGenerator(description).files()
    }

    static func adapter(_ description: ProtocolDescription) throws -> GeneratedFile {
        try CSharpGenerator(description).adapter()
    }

    /// Compiles each sample, its adapter and the program that tests streams to one program.
    static func compile(_ samples: [AdapterSample]) throws -> String {
        try samples.sorted { $0.name < $1.name }.map { sample in
            let findings = try CSharpTool.compile([sample.module, sample.adapter], to: sample.program)
            return findings.isEmpty ? "" : "\(sample.name): \(findings)"
        }.joined()
    }

    /// Words of C#, names of its library and of what all objects have, and what generated code calls its variables.
    private static let words = """
        abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else enum
        event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long namespace
        new null object operator out override params private protected public readonly ref return sbyte sealed short sizeof stackalloc
        static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using virtual void volatile while
        var dynamic async await yield get set value partial where global nameof when add remove alias record init _ __ a A
        System Object String Array Buffer Math Convert Text Collections Generic List Func Enum Exception Console Equals Finalize
        GetHashCode GetType MemberwiseClone ReferenceEquals ToString MessageName MessageId MessageSender Read Write Verify Fix Copy
        Kind Path Offset Tag Bytes Value Trailing Payload Id Header Message ByteCount Encode Decode Packets Checksum Length Main
        r w h m f t v p s e a0 b0 c0 i1 n2 v3 x4 y5 z6 q0 k0 o1 end start gap total body at fit found count position value__
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static func reservedNames(declaredIn module: String) -> [String] {
        words
            + module.matches(of: /(?m)\b(?:class|struct|enum) (\w+)|\b(\w+)\([^()]*\) \{/).compactMap {
                ($0.1 ?? $0.2).map { String($0) }
            }
    }
}

extension AdapterSample {
    /// The program that Mono's compiler makes.
    var program: URL { module.deletingLastPathComponent().appending(path: "conform.exe") }
}
