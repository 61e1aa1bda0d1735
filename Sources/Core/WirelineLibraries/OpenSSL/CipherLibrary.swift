// SPDX-License-Identifier: Apache-2.0

/// The functions of libcrypto for symmetric ciphers. They are looked up at first use.
///
/// Nothing changes after initialization, so `@unchecked Sendable` is correct.
@safe
package final class CipherLibrary: @unchecked Sendable {
    typealias Handle = OpaquePointer
    typealias Bytes = UnsafePointer<UInt8>
    typealias Room = UnsafeMutablePointer<UInt8>
    typealias Count = UnsafeMutablePointer<CInt>
    typealias Cipher = @convention(c) () -> Handle?

    private let library: SystemLibrary
    let make: @convention(c) () -> Handle?
    let free: @convention(c) (Handle?) -> Void
    /// The arguments: the context; the cipher, the engine, the key and the vector, each nil to keep the present one; 1
    /// to encrypt, 0 to decrypt, −1 to keep the direction.
    let initialize: @convention(c) (Handle?, Handle?, Handle?, Bytes?, Bytes?, CInt) -> CInt
    let update: @convention(c) (Handle?, Room?, Count?, Bytes?, CInt) -> CInt
    let finish: @convention(c) (Handle?, Room?, Count?) -> CInt
    let clearErrors: @convention(c) () -> Void
    /// The ciphers of each mode. Their order is that of ``AESMode/keyByteCounts``.
    private let cbc: [Cipher]
    private let ctr: [Cipher]

    /// - Throws: A failure that names the missing function.
    init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
        self.library = library.library
        // SAFETY: each property above has the type that OpenSSL 3's headers give the function named here.
        unsafe make = try library.function("EVP_CIPHER_CTX_new")
        unsafe free = try library.function("EVP_CIPHER_CTX_free")
        unsafe initialize = try library.function("EVP_CipherInit_ex")
        unsafe update = try library.function("EVP_CipherUpdate")
        unsafe finish = try library.function("EVP_CipherFinal_ex")
        clearErrors = try library.function("ERR_clear_error")
        unsafe cbc = try Self.ciphers(.cbc, in: library)
        unsafe ctr = try Self.ciphers(.ctr, in: library)
        let initializeLibrary: @convention(c) (UInt64, UnsafeMutableRawPointer?) -> CInt =
            unsafe try library.function("OPENSSL_init_crypto")
        try library.requireInitialised(initializeLibrary(OpenSSLLibrary.initializeWithoutExit, nil))
    }

    private static func ciphers(
        _ mode: AESMode, in library: OpenSSLLibrary
    ) throws(LibraryFailure) -> [Cipher] {
        // SAFETY: OpenSSL 3's headers give each of these functions this type.
        var ciphers: [Cipher] = unsafe []
        for byteCount in AESMode.keyByteCounts {
            let cipher: Cipher = unsafe try library.function("EVP_aes_\(byteCount * 8)_\(mode.rawValue)")
            unsafe ciphers.append(cipher)
        }
        return unsafe ciphers
    }

    /// libcrypto. It is loaded once for the process, and a failure is final.
    package static let shared: Result<CipherLibrary, LibraryFailure> = Result { () throws(LibraryFailure) in
        try first(of: OpenSSLLibrary.Part.crypto.places)
    }

    package static func first(of places: [OpenSSLLibrary.Place]) throws(LibraryFailure) -> CipherLibrary {
        try OpenSSLLibrary.first(of: places, .crypto) { library throws(LibraryFailure) in
            try CipherLibrary(library)
        }
    }

    /// Returns OpenSSL's cipher for a key of this length; nil if there is none.
    func cipher(_ mode: AESMode, keyByteCount: Int) -> Handle? {
        guard let index = AESMode.keyByteCounts.firstIndex(of: keyByteCount) else { return nil }
        // SAFETY: a cipher's function takes nothing and returns a static object.
        return unsafe (mode == .cbc ? cbc : ctr)[index]()
    }

    func failure(_ status: CInt) -> LibraryFailure { library.failure(.gaveUp(status: Int(status))) }
}

/// How AES handles more than one block (NIST SP 800-38A).
package enum AESMode: String, CaseIterable, Sendable {
    /// Cipher block chaining, padded to whole blocks (PKCS #7).
    case cbc
    /// Counter mode: the keystream is the encrypted counters.
    case ctr

    package static let blockByteCount = 16
    package static let keyByteCounts = [16, 24, 32]
}
