// SPDX-License-Identifier: Apache-2.0

/// Numbers from OpenSSL 3's headers; they are part of its binary interface.
enum Constant {
    // MARK: err.h

    /// The bits of an error that hold its reason (`ERR_REASON_MASK`); those above them hold the library.
    static let reasonMask: UInt = 0x7F_FFFF
    /// `ERR_LIB_OFFSET` and `ERR_LIB_MASK`
    static let libraryShift: UInt = 23
    static let libraryMask: UInt = 0xFF
    /// `ERR_LIB_PEM`, `ERR_LIB_SSL`
    static let libraryPEM: UInt = 9
    static let librarySSL: UInt = 20

    // MARK: pemerr.h, sslerr.h

    /// `PEM_R_NO_START_LINE`
    static let noStartLine: UInt = 108
    /// `SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE`
    static let noPeerCertificate: UInt = 199
    /// `SSL_R_STILL_IN_INIT`, `SSL_R_SHUTDOWN_WHILE_IN_INIT`
    static let isInsideMessage: UInt = 121
    static let endsInsideMessage: UInt = 407
    /// `SSL_AD_REASON_OFFSET`: the offset of the errors for received alerts.
    static let alertOffset: UInt = 1000

    // MARK: obj_mac.h, x509v3.h

    /// `NID_subject_alt_name`
    static let alternativeNames: Int32 = 85
    /// The result of `X509_get_ext_d2i` for a missing extension, not for a damaged or repeated one.
    static let isMissing: Int32 = -1
    /// `GEN_EMAIL`, `GEN_DNS`, `GEN_URI`, `GEN_IPADD`
    static let emailAddress: Int32 = 1
    static let hostName: Int32 = 2
    static let uri: Int32 = 6
    static let ipAddress: Int32 = 7
    /// `NID_commonName`
    static let commonName: Int32 = 13
    /// `XN_FLAG_RFC2253` without `ASN1_STRFLGS_ESC_MSB`, which would escape letters outside ASCII
    static let nameFlags: UInt = 0x111_0313

    // MARK: bio.h

    /// `BIO_TYPE_SOURCE_SINK`
    static let sourceAndSink: Int32 = 0x0400
    /// `BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY`, `BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY` and both
    static let retryReading: Int32 = 0x09
    static let retryWriting: Int32 = 0x0A
    static let retryAny: Int32 = 0x0F
    /// `BIO_CTRL_FLUSH`
    static let flush: Int32 = 11

    // MARK: ssl.h

    /// `SSL_CTRL_MODE`, `SSL_CTRL_SET_SESS_CACHE_MODE`, `SSL_CTRL_SET_TLSEXT_SERVERNAME_CB`,
    /// `SSL_CTRL_SET_TLSEXT_HOSTNAME`, `SSL_CTRL_CHAIN_CERT`, `SSL_CTRL_SET_MIN_PROTO_VERSION`,
    /// `SSL_CTRL_SET_MAX_PROTO_VERSION`
    static let setMode: Int32 = 33
    static let setSessionCaching: Int32 = 44
    static let setNameChoice: Int32 = 53
    static let setRequestedName: Int32 = 55
    static let addToChain: Int32 = 89
    /// `SSL_CTRL_SET_GROUPS_LIST`
    static let setGroups: Int32 = 92
    static let setMinimumVersion: Int32 = 123
    static let setMaximumVersion: Int32 = 124

    /// `SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY |
    /// SSL_MODE_NO_AUTO_CHAIN | SSL_MODE_RELEASE_BUFFERS`
    static let modes = 0x1 | 0x2 | 0x4 | 0x8 | 0x10
    /// `SSL_OP_NO_TICKET`, `SSL_OP_NO_COMPRESSION`, `SSL_OP_CIPHER_SERVER_PREFERENCE`, `SSL_OP_NO_RENEGOTIATION`
    static let withoutTickets: UInt64 = 1 << 14
    static let withoutCompression: UInt64 = 1 << 17
    static let serverPrefers: UInt64 = 1 << 22
    static let withoutRenegotiation: UInt64 = 1 << 30

    /// `SSL_SESS_CACHE_OFF`; `SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL`
    static let noSessionCache = 0
    static let ownSessionCache = 0x1 | 0x300
    /// `SSL_VERIFY_NONE`, `SSL_VERIFY_PEER`, `SSL_VERIFY_FAIL_IF_NO_PEER_CERT`
    static let verifyNone: Int32 = 0
    static let verifyPeer: Int32 = 1
    static let requireCertificate: Int32 = 2
    /// `SSL_TICKET_EMPTY`, `SSL_TICKET_NO_DECRYPT`, `SSL_TICKET_SUCCESS`, `SSL_TICKET_SUCCESS_RENEW`
    static let ticketIsEmpty: Int32 = 3
    static let ticketIsForeign: Int32 = 4
    static let ticketIsGood: Int32 = 5
    static let ticketIsGoodAndRenewed: Int32 = 6
    /// `SSL_TICKET_RETURN_ABORT`, `SSL_TICKET_RETURN_IGNORE_RENEW`, `SSL_TICKET_RETURN_USE`,
    /// `SSL_TICKET_RETURN_USE_RENEW`
    static let abort: Int32 = 0
    static let ignoreTicket: Int32 = 2
    static let useTicket: Int32 = 3
    static let useAndRenewTicket: Int32 = 4
    /// `SSL_TLSEXT_ERR_OK`, `SSL_TLSEXT_ERR_ALERT_FATAL`, `SSL_TLSEXT_ERR_NOACK`
    static let accepted: Int32 = 0
    static let refused: Int32 = 2
    static let notUsed: Int32 = 3
    /// `SSL_CB_WRITE_ALERT`; the level of a fatal alert is in the number's second byte.
    static let sendsAlert: Int32 = 0x4008
    static let fatalLevel: Int32 = 2
    /// `SSL_KEY_UPDATE_NOT_REQUESTED`
    static let updateOwnKey: Int32 = 0
    /// `SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN`
    static let endedBothWays: Int32 = 3
    /// `TLSEXT_TYPE_server_name`
    static let serverNameExtension: UInt32 = 0
    /// The index of the application's data (`SSL_set_app_data`).
    static let applicationIndex: Int32 = 0

    /// `SSL_ERROR_WANT_READ`, `SSL_ERROR_WANT_WRITE`, `SSL_ERROR_ZERO_RETURN`
    static let wantsReading: Int32 = 2
    static let wantsWriting: Int32 = 3
    static let hasEnded: Int32 = 6

    // MARK: x509_vfy.h, x509v3.h

    /// `X509_V_OK`, `X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT`, `X509_V_ERR_CERT_NOT_YET_VALID`,
    /// `X509_V_ERR_CERT_HAS_EXPIRED`, `X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT`, `X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN`,
    /// `X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY`, `X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE`
    static let verified: Int32 = 0
    static let issuerNotFound: Int32 = 2
    static let notYetValid: Int32 = 9
    static let expired: Int32 = 10
    static let selfSigned: Int32 = 18
    static let selfSignedInChain: Int32 = 19
    static let issuerNotFoundLocally: Int32 = 20
    static let chainOfOneUnverified: Int32 = 21
    /// `X509_V_ERR_HOSTNAME_MISMATCH`, `X509_V_ERR_IP_ADDRESS_MISMATCH`
    static let wrongHost: Int32 = 62
    static let wrongAddress: Int32 = 64
    /// `X509_V_ERR_CERT_REJECTED`, for which OpenSSL sends the alert bad_certificate
    static let certificateRejected: Int32 = 28
    /// `X509_V_FLAG_PARTIAL_CHAIN`
    static let partialChain: UInt = 0x80000
    /// `X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT`
    static let hostFlags: UInt32 = 0x4 | 0x20
}
