// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

extension Language {
    /// Rust, whose samples are modules of one program: overflows and bad indices panic in it.
    static let rust: Language = Language(
        name: "Rust", directory: "Rust", absence: RustTool.isWanted ? nil : RustTool.absence, hasFolders: true,
        files: { RustGenerator($0).files() }, adapter: { RustGenerator($0).adapter() }, backEnd: "rust",
        compile: build,
        job: { program, sample in
            switch program {
            case .adapter: ask(sample)
            case .streams: ask(sample, "streams")
            case .conversations: ask(sample, "conversations")
            }
        },
        peer: { name, samples in ask(samples[0], name) },
        page: LanguagePage(
            name: "GeneratedRust.md", fence: "rust", commentCount: 7,
            file: { GeneratedFile(path: "page/main.rs", text: $0.joined(separator: "\n") + "\n") },
            job: { ProgramJob($0.folder.appending(path: "page/page").path) }),
        objections: { sample in
            [
                "unsafe {", "unsafe fn", "unsafe impl", "extern crate", "panic!", ".unwrap()", ".expect(",
                "unreachable!", "todo!",
            ]
            .filter(sample.files[0].text.contains)
        })

    /// Compiles all modules as one program, and the examples of the page.
    @Sendable private static func build(_ code: LanguageCode) throws -> String {
        for sample in code.samples {
            // What tests ask is a part of each adapter.
            let isConnected = hasConnection(sample)
            var parts = [
                "#[path = \"\(rust.peerFile(isConnected ? "connected.rs" : "unconnected.rs").path)\"]\nmod coder;"
            ]
            for peer in ["streams"] + (isConnected ? ["conversations"] : []) {
                parts.append("#[path = \"\(rust.peerFile(peer + ".rs").path)\"]\npub mod \(peer);")
            }
            let text = try String(contentsOf: sample.adapter, encoding: .utf8) + parts.joined(separator: "\n") + "\n"
            try Data(text.utf8).write(to: sample.adapter)
        }
        let main = code.folder.appending(path: "main.rs")
        try Data(program(of: code.samples).utf8).write(to: main)
        let page = code.folder.appending(path: "page")
        for name in ["Scene", "PostgreSQL", "KeyedGame"] {
            let module = try code.sample(name).module
            try FileManager.default.copyItem(at: module, to: page.appending(path: module.lastPathComponent))
        }
        return try RustTool.compile(main, to: code.folder.appending(path: "samples"))
            + RustTool.compile(page.appending(path: "main.rs"), to: page.appending(path: "page"))
    }

    /// Returns a program that runs the adapter of a sample, or asks it a question. It counts the bytes that it takes.
    private static func program(of samples: [LanguageCode.Sample]) -> String {
        let modules = samples.enumerated().map { index, sample in
            "#[path = \"\(sample.adapter.path)\"]\nmod sample_\(index);"
        }
        let arms = samples.enumerated().flatMap { index, sample in
            let isConnected = hasConnection(sample)
            let asked = ["streams"] + (isConnected ? ["conversations"] : [])
            return asked.map { "(\"\(sample.name)\", Some(\"\($0)\")) => sample_\(index)::\($0)::main()," }
                + ["(\"\(sample.name)\", None) => sample_\(index)::main(),"]
        }
        return """
            #[path = "\(rust.peerFile("random.rs").path)"]
            mod random;
            \(modules.joined(separator: "\n"))

            use std::alloc::{GlobalAlloc, Layout, System};
            use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

            struct Counting;

            static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

            unsafe impl GlobalAlloc for Counting {
                unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
                    ALLOCATED.fetch_add(layout.size(), Relaxed);
                    System.alloc(layout)
                }

                unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
                    System.dealloc(memory, layout)
                }
            }

            #[global_allocator]
            static COUNTING: Counting = Counting;

            pub fn allocated() -> usize {
                ALLOCATED.load(Relaxed)
            }

            fn main() {
                let arguments: Vec<String> = std::env::args().skip(1).collect();
                match (arguments[0].as_str(), arguments.get(1).map(String::as_str)) {
                    \(arms.joined(separator: "\n        "))
                    _ => std::process::exit(2),
                }
            }

            """
    }

    /// Whether packets of a sample depend on a connection.
    private static func hasConnection(_ sample: LanguageCode.Sample) -> Bool {
        sample.files[0].text.contains("pub struct Connection {")
    }

    private static func ask(_ sample: LanguageCode.Sample, _ question: String...) -> ProgramJob {
        let program = sample.folder.deletingLastPathComponent().appending(path: "samples")
        return ProgramJob(program.path, [sample.name] + question)
    }
}
