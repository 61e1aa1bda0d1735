// SPDX-License-Identifier: Apache-2.0

import WirelineLibraries

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension OpenSSL {
    /// Reads up to that many bytes of a stream into memory; returns the count, or -1.
    typealias Reading = @convention(c) (Handle?, AnyPointer?, Int32) -> Int32
    /// Writes that many bytes to a stream; returns the count, or -1.
    typealias Writing = @convention(c) (Handle?, UnsafeRawPointer?, Int32) -> Int32
    /// Performs the numbered command on a stream.
    typealias Control = @convention(c) (Handle?, Int32, Int, AnyPointer?) -> Int
    /// Puts the password of an encrypted key into a buffer; returns its byte count, or -1.
    typealias Password = @convention(c) (AnyPointer?, Int32, Int32, AnyPointer?) -> Int32
    /// Verifies a chain; returns 1 for yes.
    typealias Verifier = @convention(c) (Handle?, AnyPointer?) -> Int32
    /// Chooses one of the protocols that a client offers.
    typealias ProtocolChoice =
        @convention(c) (
            Handle?, UnsafeMutablePointer<Bytes?>?, UnsafeMutablePointer<UInt8>?, Bytes?, UInt32, AnyPointer?
        ) -> Int32
    /// Chooses by the name that a client asks for.
    typealias NameChoice = @convention(c) (Handle?, UnsafeMutablePointer<Int32>?, AnyPointer?) -> Int32
    /// Keeps a new session; returns 1 if it has taken the reference.
    typealias SessionKeeper = @convention(c) (Handle?, Handle?) -> Int32
    /// Adds the application's data to a session before it becomes a ticket; returns 1 if done.
    typealias TicketMaker = @convention(c) (Handle?, AnyPointer?) -> Int32
    /// Decides whether the session in a ticket is used.
    typealias TicketChoice = @convention(c) (Handle?, Handle?, Bytes?, Int, Int32, AnyPointer?) -> Int32
    /// Receives state changes and alerts.
    typealias Observer = @convention(c) (Handle?, Int32, Int32) -> Void

    /// Receives a line with a secret of a connection.
    typealias KeyLogger = @convention(c) (Handle?, Text?) -> Void

    /// Functions that are not about TLS.
    @safe
    struct General {
        let initialize: @convention(c) (UInt64, AnyPointer?) -> Int32
        let free: @convention(c) (AnyPointer?, Text?, Int32) -> Void
        let erase: @convention(c) (AnyPointer?, Int) -> Void
        let countOfStack: @convention(c) (Handle?) -> Int32
        let elementOfStack: @convention(c) (Handle?, Int32) -> Handle?
        let digest:
            @convention(c) (AnyPointer?, Int, AnyPointer?, UnsafeMutablePointer<UInt32>?, Handle?, Handle?) -> Int32
        let sha256: @convention(c) () -> Handle?

        init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
            // SAFETY: each property above has the type that OpenSSL 3's headers give the function named here.
            unsafe initialize = try library.function("OPENSSL_init_ssl")
            unsafe free = try library.function("CRYPTO_free")
            unsafe erase = try library.function("OPENSSL_cleanse")
            unsafe countOfStack = try library.function("OPENSSL_sk_num")
            unsafe elementOfStack = try library.function("OPENSSL_sk_value")
            unsafe digest = try library.function("EVP_Digest")
            unsafe sha256 = try library.function("EVP_sha256")
        }
    }

    /// The error queue; each thread has its own.
    @safe
    struct Errors {
        let clear: @convention(c) () -> Void
        let first: @convention(c) () -> UInt
        let last: @convention(c) () -> UInt
        let reason: @convention(c) (UInt) -> Text?

        init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
            clear = try library.function("ERR_clear_error")
            first = try library.function("ERR_peek_error")
            last = try library.function("ERR_peek_last_error")
            // SAFETY: the property above has the type that OpenSSL 3's headers give the function.
            unsafe reason = try library.function("ERR_reason_error_string")
        }
    }

    /// Locks, which are those of the system.
    @safe
    struct Locks {
        let make: @convention(c) () -> AnyPointer?
        let lock: @convention(c) (AnyPointer?) -> Int32
        let unlock: @convention(c) (AnyPointer?) -> Int32
        let free: @convention(c) (AnyPointer?) -> Void

        init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
            // SAFETY: each property above has the type that OpenSSL 3's headers give the function named here.
            unsafe make = try library.function("CRYPTO_THREAD_lock_new")
            unsafe lock = try library.function("CRYPTO_THREAD_write_lock")
            unsafe unlock = try library.function("CRYPTO_THREAD_unlock")
            unsafe free = try library.function("CRYPTO_THREAD_lock_free")
        }
    }

    /// Byte streams of OpenSSL (`BIO`).
    @safe
    struct Streams {
        let makeIndex: @convention(c) () -> Int32
        let makeMethod: @convention(c) (Int32, Text?) -> Handle?
        let setReading: @convention(c) (Handle?, Reading) -> Int32
        let setWriting: @convention(c) (Handle?, Writing) -> Int32
        let setControl: @convention(c) (Handle?, Control) -> Int32
        let make: @convention(c) (Handle?) -> Handle?
        let memoryMethod: @convention(c) () -> Handle?
        let read: @convention(c) (Handle?, AnyPointer?, Int32) -> Int32
        let makeOfMemory: @convention(c) (UnsafeRawPointer?, Int32) -> Handle?
        let free: @convention(c) (Handle?) -> Int32
        let setData: @convention(c) (Handle?, AnyPointer?) -> Void
        let data: @convention(c) (Handle?) -> AnyPointer?
        let setInitialized: @convention(c) (Handle?, Int32) -> Void
        let setFlags: @convention(c) (Handle?, Int32) -> Void
        let clearFlags: @convention(c) (Handle?, Int32) -> Void

        init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
            makeIndex = try library.function("BIO_get_new_index")
            // SAFETY: each property above has the type that OpenSSL 3's headers give the function named here.
            unsafe makeMethod = try library.function("BIO_meth_new")
            unsafe setReading = try library.function("BIO_meth_set_read")
            unsafe setWriting = try library.function("BIO_meth_set_write")
            unsafe setControl = try library.function("BIO_meth_set_ctrl")
            unsafe make = try library.function("BIO_new")
            unsafe memoryMethod = try library.function("BIO_s_mem")
            unsafe read = try library.function("BIO_read")
            unsafe makeOfMemory = try library.function("BIO_new_mem_buf")
            unsafe free = try library.function("BIO_free")
            unsafe setData = try library.function("BIO_set_data")
            unsafe data = try library.function("BIO_get_data")
            unsafe setInitialized = try library.function("BIO_set_init")
            unsafe setFlags = try library.function("BIO_set_flags")
            unsafe clearFlags = try library.function("BIO_clear_flags")
        }
    }

    /// Certificates and keys.
    @safe
    struct Certificates {
        let read: @convention(c) (Handle?, AnyPointer?, Password?, AnyPointer?) -> Handle?
        let readKey: @convention(c) (Handle?, AnyPointer?, Password?, AnyPointer?) -> Handle?
        let free: @convention(c) (Handle?) -> Void
        let freeKey: @convention(c) (Handle?) -> Void
        let hasKey: @convention(c) (Handle?, Handle?) -> Int32
        let publicKey: @convention(c) (Handle?) -> Handle?
        let lastTime: @convention(c) (Handle?) -> Handle?
        let calendarTime: @convention(c) (Handle?, UnsafeMutablePointer<tm>?) -> Int32
        let encode: @convention(c) (Handle?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
        let encodePublicKey: @convention(c) (Handle?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
        let readExtension: @convention(c) (Handle?, Int32, UnsafeMutablePointer<Int32>?, AnyPointer?) -> Handle?
        let freeNames: @convention(c) (Handle?) -> Void
        let valueOfName: @convention(c) (Handle?, UnsafeMutablePointer<Int32>?) -> Handle?
        let bytesOfText: @convention(c) (Handle?) -> Bytes?
        let byteCountOfText: @convention(c) (Handle?) -> Int32
        let subject: @convention(c) (Handle?) -> Handle?
        let printName: @convention(c) (Handle?, Handle?, Int32, UInt) -> Int32
        let placeInName: @convention(c) (Handle?, Int32, Int32) -> Int32
        let attribute: @convention(c) (Handle?, Int32) -> Handle?
        let valueOfAttribute: @convention(c) (Handle?) -> Handle?
        let encodeAsUTF8: @convention(c) (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, Handle?) -> Int32

        init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
            // SAFETY: each property above has the type that OpenSSL 3's headers give the function named here.
            unsafe read = try library.function("PEM_read_bio_X509")
            unsafe readKey = try library.function("PEM_read_bio_PrivateKey")
            unsafe free = try library.function("X509_free")
            unsafe freeKey = try library.function("EVP_PKEY_free")
            unsafe hasKey = try library.function("X509_check_private_key")
            unsafe publicKey = try library.function("X509_get_X509_PUBKEY")
            unsafe lastTime = try library.function("X509_get0_notAfter")
            unsafe calendarTime = try library.function("ASN1_TIME_to_tm")
            unsafe encode = try library.function("i2d_X509")
            unsafe encodePublicKey = try library.function("i2d_X509_PUBKEY")
            unsafe readExtension = try library.function("X509_get_ext_d2i")
            unsafe freeNames = try library.function("GENERAL_NAMES_free")
            unsafe valueOfName = try library.function("GENERAL_NAME_get0_value")
            unsafe bytesOfText = try library.function("ASN1_STRING_get0_data")
            unsafe byteCountOfText = try library.function("ASN1_STRING_length")
            unsafe subject = try library.function("X509_get_subject_name")
            unsafe printName = try library.function("X509_NAME_print_ex")
            unsafe placeInName = try library.function("X509_NAME_get_index_by_NID")
            unsafe attribute = try library.function("X509_NAME_get_entry")
            unsafe valueOfAttribute = try library.function("X509_NAME_ENTRY_get_data")
            unsafe encodeAsUTF8 = try library.function("ASN1_STRING_to_UTF8")
        }
    }

    @safe
    struct Verification {
        let addRoot: @convention(c) (Handle?, Handle?) -> Int32
        let verify: @convention(c) (Handle?) -> Int32
        let code: @convention(c) (Handle?) -> Int32
        let setCode: @convention(c) (Handle?, Int32) -> Void
        let depth: @convention(c) (Handle?) -> Int32
        let chain: @convention(c) (Handle?) -> Handle?
        let certificate: @convention(c) (Handle?) -> Handle?
        let extraData: @convention(c) (Handle?, Int32) -> AnyPointer?
        let indexOfConnection: @convention(c) () -> Int32
        let reason: @convention(c) (Int) -> Text?
        let parameters: @convention(c) (Handle?) -> Handle?
        let setTime: @convention(c) (Handle?, Int) -> Void
        let setFlags: @convention(c) (Handle?, UInt) -> Int32
        let setHostFlags: @convention(c) (Handle?, UInt32) -> Void
        let setHost: @convention(c) (Handle?, Text?, Int) -> Int32
        let setAddress: @convention(c) (Handle?, Text?) -> Int32

        init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
            // SAFETY: each property above has the type that OpenSSL 3's headers give the function named here.
            unsafe addRoot = try library.function("X509_STORE_add_cert")
            unsafe verify = try library.function("X509_verify_cert")
            unsafe code = try library.function("X509_STORE_CTX_get_error")
            unsafe setCode = try library.function("X509_STORE_CTX_set_error")
            unsafe depth = try library.function("X509_STORE_CTX_get_error_depth")
            unsafe chain = try library.function("X509_STORE_CTX_get0_chain")
            unsafe certificate = try library.function("X509_STORE_CTX_get0_cert")
            unsafe extraData = try library.function("X509_STORE_CTX_get_ex_data")
            indexOfConnection = try library.function("SSL_get_ex_data_X509_STORE_CTX_idx")
            unsafe reason = try library.function("X509_verify_cert_error_string")
            unsafe parameters = try library.function("X509_STORE_CTX_get0_param")
            unsafe setTime = try library.function("X509_VERIFY_PARAM_set_time")
            unsafe setFlags = try library.function("X509_VERIFY_PARAM_set_flags")
            unsafe setHostFlags = try library.function("X509_VERIFY_PARAM_set_hostflags")
            unsafe setHost = try library.function("X509_VERIFY_PARAM_set1_host")
            unsafe setAddress = try library.function("X509_VERIFY_PARAM_set1_ip_asc")
        }
    }

    /// The shared state of connections (`SSL_CTX`).
    @safe
    struct Contexts {
        let clientMethod: @convention(c) () -> Handle?
        let serverMethod: @convention(c) () -> Handle?
        let make: @convention(c) (Handle?) -> Handle?
        let free: @convention(c) (Handle?) -> Void
        let control: @convention(c) (Handle?, Int32, Int, AnyPointer?) -> Int
        let controlCallback: @convention(c) (Handle?, Int32, NameChoice) -> Int
        let setOptions: @convention(c) (Handle?, UInt64) -> UInt64
        let setCiphers: @convention(c) (Handle?, Text?) -> Int32
        let setCipherSuites: @convention(c) (Handle?, Text?) -> Int32
        let ciphers: @convention(c) (Handle?) -> Handle?
        let setVerification: @convention(c) (Handle?, Int32, AnyPointer?) -> Void
        let setVerifier: @convention(c) (Handle?, Verifier, AnyPointer?) -> Void
        let useSystemRoots: @convention(c) (Handle?) -> Int32
        let store: @convention(c) (Handle?) -> Handle?
        let verificationParameters: @convention(c) (Handle?) -> Handle?
        let useCertificate: @convention(c) (Handle?, Handle?) -> Int32
        let useKey: @convention(c) (Handle?, Handle?) -> Int32
        let nameIssuer: @convention(c) (Handle?, Handle?) -> Int32
        let offerProtocols: @convention(c) (Handle?, Bytes?, UInt32) -> Int32
        let setProtocolChoice: @convention(c) (Handle?, ProtocolChoice, AnyPointer?) -> Void
        let setSessionKeeper: @convention(c) (Handle?, SessionKeeper) -> Void
        let setSessionContext: @convention(c) (Handle?, Bytes?, UInt32) -> Int32
        let setTicketCount: @convention(c) (Handle?, Int) -> Int32
        let setTicketHandlers: @convention(c) (Handle?, TicketMaker, TicketChoice, AnyPointer?) -> Int32
        let setObserver: @convention(c) (Handle?, Observer) -> Void
        let setKeyLog: @convention(c) (Handle?, KeyLogger) -> Void

        init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
            // SAFETY: each property above has the type that OpenSSL 3's headers give the function named here.
            unsafe clientMethod = try library.function("TLS_client_method")
            unsafe serverMethod = try library.function("TLS_server_method")
            unsafe make = try library.function("SSL_CTX_new")
            unsafe free = try library.function("SSL_CTX_free")
            unsafe control = try library.function("SSL_CTX_ctrl")
            unsafe controlCallback = try library.function("SSL_CTX_callback_ctrl")
            unsafe setOptions = try library.function("SSL_CTX_set_options")
            unsafe setCiphers = try library.function("SSL_CTX_set_cipher_list")
            unsafe setCipherSuites = try library.function("SSL_CTX_set_ciphersuites")
            unsafe ciphers = try library.function("SSL_CTX_get_ciphers")
            unsafe setVerification = try library.function("SSL_CTX_set_verify")
            unsafe setVerifier = try library.function("SSL_CTX_set_cert_verify_callback")
            unsafe useSystemRoots = try library.function("SSL_CTX_set_default_verify_paths")
            unsafe store = try library.function("SSL_CTX_get_cert_store")
            unsafe verificationParameters = try library.function("SSL_CTX_get0_param")
            unsafe useCertificate = try library.function("SSL_CTX_use_certificate")
            unsafe useKey = try library.function("SSL_CTX_use_PrivateKey")
            unsafe nameIssuer = try library.function("SSL_CTX_add_client_CA")
            unsafe offerProtocols = try library.function("SSL_CTX_set_alpn_protos")
            unsafe setProtocolChoice = try library.function("SSL_CTX_set_alpn_select_cb")
            unsafe setSessionKeeper = try library.function("SSL_CTX_sess_set_new_cb")
            unsafe setSessionContext = try library.function("SSL_CTX_set_session_id_context")
            unsafe setTicketCount = try library.function("SSL_CTX_set_num_tickets")
            unsafe setTicketHandlers = try library.function("SSL_CTX_set_session_ticket_cb")
            unsafe setObserver = try library.function("SSL_CTX_set_info_callback")
            unsafe setKeyLog = try library.function("SSL_CTX_set_keylog_callback")
        }
    }

    /// One connection (`SSL`).
    @safe
    struct Connections {
        let make: @convention(c) (Handle?) -> Handle?
        let free: @convention(c) (Handle?) -> Void
        let setStream: @convention(c) (Handle?, Handle?, Handle?) -> Void
        let setContext: @convention(c) (Handle?, Handle?) -> Handle?
        let setConnecting: @convention(c) (Handle?) -> Void
        let setAccepting: @convention(c) (Handle?) -> Void
        let control: @convention(c) (Handle?, Int32, Int, AnyPointer?) -> Int
        let verificationParameters: @convention(c) (Handle?) -> Handle?
        let setExtraData: @convention(c) (Handle?, Int32, AnyPointer?) -> Int32
        let extraData: @convention(c) (Handle?, Int32) -> AnyPointer?
        let shakeHands: @convention(c) (Handle?) -> Int32
        let read: @convention(c) (Handle?, AnyPointer?, Int32) -> Int32
        let write: @convention(c) (Handle?, UnsafeRawPointer?, Int32) -> Int32
        let end: @convention(c) (Handle?) -> Int32
        let setEnded: @convention(c) (Handle?, Int32) -> Void
        let outcome: @convention(c) (Handle?, Int32) -> Int32
        let updateKey: @convention(c) (Handle?, Int32) -> Int32
        let version: @convention(c) (Handle?) -> Int32
        let cipher: @convention(c) (Handle?) -> Handle?
        let nameOfCipher: @convention(c) (Handle?) -> Text?
        let chosenProtocol:
            @convention(c) (Handle?, UnsafeMutablePointer<Bytes?>?, UnsafeMutablePointer<UInt32>?) -> Void
        let isResumed: @convention(c) (Handle?) -> Int32
        let peerCertificate: @convention(c) (Handle?) -> Handle?
        let verificationResult: @convention(c) (Handle?) -> Int
        let requestedName: @convention(c) (Handle?, Int32) -> Text?
        let helloExtension:
            @convention(c) (Handle?, UInt32, UnsafeMutablePointer<Bytes?>?, UnsafeMutablePointer<Int>?) -> Int32
        let setSession: @convention(c) (Handle?, Handle?) -> Int32
        let session: @convention(c) (Handle?) -> Handle?

        init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
            // SAFETY: each property above has the type that OpenSSL 3's headers give the function named here.
            unsafe make = try library.function("SSL_new")
            unsafe free = try library.function("SSL_free")
            unsafe setStream = try library.function("SSL_set_bio")
            unsafe setContext = try library.function("SSL_set_SSL_CTX")
            unsafe setConnecting = try library.function("SSL_set_connect_state")
            unsafe setAccepting = try library.function("SSL_set_accept_state")
            unsafe control = try library.function("SSL_ctrl")
            unsafe verificationParameters = try library.function("SSL_get0_param")
            unsafe setExtraData = try library.function("SSL_set_ex_data")
            unsafe extraData = try library.function("SSL_get_ex_data")
            unsafe shakeHands = try library.function("SSL_do_handshake")
            unsafe read = try library.function("SSL_read")
            unsafe write = try library.function("SSL_write")
            unsafe end = try library.function("SSL_shutdown")
            unsafe setEnded = try library.function("SSL_set_shutdown")
            unsafe outcome = try library.function("SSL_get_error")
            unsafe updateKey = try library.function("SSL_key_update")
            unsafe version = try library.function("SSL_version")
            unsafe cipher = try library.function("SSL_get_current_cipher")
            unsafe nameOfCipher = try library.function("SSL_CIPHER_get_name")
            unsafe chosenProtocol = try library.function("SSL_get0_alpn_selected")
            unsafe isResumed = try library.function("SSL_session_reused")
            unsafe peerCertificate = try library.function("SSL_get1_peer_certificate")
            unsafe verificationResult = try library.function("SSL_get_verify_result")
            unsafe requestedName = try library.function("SSL_get_servername")
            unsafe helloExtension = try library.function("SSL_client_hello_get0_ext")
            unsafe setSession = try library.function("SSL_set_session")
            unsafe session = try library.function("SSL_get_session")
        }
    }

    /// The sessions that later connections to the same server resume (`SSL_SESSION`).
    @safe
    struct Sessions {
        let free: @convention(c) (Handle?) -> Void
        let isResumable: @convention(c) (Handle?) -> Int32
        let version: @convention(c) (Handle?) -> Int32
        let setTicketData: @convention(c) (Handle?, UnsafeRawPointer?, Int) -> Int32
        let ticketData:
            @convention(c) (Handle?, UnsafeMutablePointer<AnyPointer?>?, UnsafeMutablePointer<Int>?) -> Int32

        init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
            // SAFETY: each property above has the type that OpenSSL 3's headers give the function named here.
            unsafe free = try library.function("SSL_SESSION_free")
            unsafe isResumable = try library.function("SSL_SESSION_is_resumable")
            unsafe version = try library.function("SSL_SESSION_get_protocol_version")
            unsafe setTicketData = try library.function("SSL_SESSION_set1_ticket_appdata")
            unsafe ticketData = try library.function("SSL_SESSION_get0_ticket_appdata")
        }
    }
}
