// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineLibraries

/// Libraries that are missing or wrong are errors that say what to do.
struct LibraryFailureTests {
    @Test(
        arguments: [
            (.otherSystem, "libz.so.1 is loaded on Linux only"),
            (
                .staticProgram,
                "a static program cannot load libz.so.1: link the C library dynamically to use compression"
            ),
            (
                .notFound,
                "libz.so.1 was not found: install zlib (Debian and Ubuntu: zlib1g, Fedora: zlib, Alpine: zlib)"
            ),
            (.notInProgram, "libz.so.1 brings no zlib of its own"),
            (.noFunction("inflate"), "libz.so.1 has no function inflate"),
            (.notInitialised, "zlib could not be initialised"), (.gaveUp(status: -4), "zlib gives up with -4"),
        ] as [(LibraryFailure.Cause, String)])
    func `a failure says in words what to do`(cause: LibraryFailure.Cause, text: String) {
        let failure = LibraryFailure(cause, library: "libz.so.1", of: .zlib)
        #expect(failure.reason(for: "compression") == text)
    }

    @Test(
        arguments: [
            (.notFound, "libcrypto.so.3 was not found: install OpenSSL 3 (Debian and Ubuntu: libssl3, "),
            (.noFunction("EVP"), "OpenSSL has no function EVP: version 3.0 or a later one is needed"),
            (.tooOld, "OpenSSL is older than version 3"),
        ] as [(LibraryFailure.Cause, String)])
    func `a failure of OpenSSL names the version that is needed`(cause: LibraryFailure.Cause, text: String) {
        let failure = LibraryFailure(cause, library: "libcrypto.so.3", of: .libcrypto)
        #expect(failure.reason(for: "this layer").hasPrefix(text))
    }

    #if os(Linux)
        private static let absent = "libnobody-has-this.so.1"

        private static func failure(_ load: () throws(LibraryFailure) -> some AnyObject) throws -> LibraryFailure {
            try #require(throws: LibraryFailure.self) { _ = try load() }
        }

        @Test func `a library that the system lacks is named with its package`() throws {
            let zlib = try Self.failure { () throws(LibraryFailure) in try Zlib(Self.absent) }
            #expect(zlib == LibraryFailure(.notFound, library: Self.absent, of: .zlib))
            let decoding = try Self.failure { () throws(LibraryFailure) in try BrotliDecoding(Self.absent) }
            #expect(decoding == LibraryFailure(.notFound, library: Self.absent, of: .brotli))
            let encoding = try Self.failure { () throws(LibraryFailure) in try BrotliEncoding(Self.absent) }
            #expect(encoding == LibraryFailure(.notFound, library: Self.absent, of: .brotli))
            #expect(encoding.reason(for: "this layer").contains("libbrotli1"))
            let ciphers = try Self.failure { () throws(LibraryFailure) in
                try CipherLibrary.first(of: [.library(Self.absent), .library("libm.so.6")])
            }
            #expect(ciphers == LibraryFailure(.notFound, library: Self.absent, of: .libcrypto))
        }

        @Test func `another library is an error that names the missing function`() throws {
            let decoding = try Self.failure { () throws(LibraryFailure) in try BrotliDecoding("libm.so.6") }
            #expect(decoding.cause == .noFunction("BrotliDecoderCreateInstance"))
            let encoding = try Self.failure { () throws(LibraryFailure) in try BrotliEncoding("libm.so.6") }
            #expect(encoding.cause == .noFunction("BrotliEncoderMaxCompressedSize"))
            let ciphers = try Self.failure { () throws(LibraryFailure) in
                try CipherLibrary.first(of: [.library("libm.so.6")])
            }
            #expect(ciphers.cause == .noFunction("OPENSSL_version_major"))
        }

        @Test func `without a library to load, the program says that it has none`() throws {
            let failure = try Self.failure { () throws(LibraryFailure) in
                _ = try SystemLibrary(inProgramWith: "a_function_that_nobody_has", of: .brotli)
                return try Zlib(Self.absent)
            }
            #expect(failure == LibraryFailure(.notInProgram, library: "the program", of: .brotli))
        }
    #endif
}
