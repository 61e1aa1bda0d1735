// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TLSPeerCertificate {
    /// Copies the names of a certificate.
    ///
    /// SAFETY: the caller owns a reference to the certificate during this call.
    init(_ certificate: Handle, _ openSSL: OpenSSL) {
        // SAFETY: the subject belongs to the certificate.
        let subject = unsafe openSSL.certificates.subject(certificate)
        self.subject = unsafe openSSL.text(ofName: subject)
        commonName = unsafe openSSL.commonName(in: subject)
        // A damaged list of names has none.
        let names = unsafe openSSL.alternativeNames(of: certificate) ?? []
        func texts(_ kind: Int32) -> [String] {
            names.filter { $0.kind == kind }.compactMap { name in
                guard name.bytes.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
                return String(decoding: name.bytes, as: UTF8.self)
            }
        }
        hostNames = texts(Constant.hostName)
        uris = texts(Constant.uri)
        emailAddresses = texts(Constant.emailAddress)
        ipAddresses = names.filter { $0.kind == Constant.ipAddress }.compactMap { Self.text(ofAddress: $0.bytes) }
    }

    /// Nil unless the address has 4 or 16 bytes.
    private static func text(ofAddress bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        // SAFETY: the bytes are as many as an address of that family has, and the buffer has room for the longest text.
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            unsafe bytes.withUnsafeBytes { bytes in
                guard let bytes = bytes.baseAddress,
                    let text = unsafe inet_ntop(family, bytes, buffer.baseAddress, socklen_t(buffer.count))
                else { return nil }
                return unsafe String(cString: text)
            }
        }
    }
}

/// A subject alternative name with a text or an address (RFC 5280 §4.2.1.6).
struct AlternativeName {
    /// OpenSSL's number for the kind (`GEN_…`).
    let kind: Int32
    let bytes: [UInt8]
}

extension OpenSSL {
    /// The hosts, addresses, URIs and email addresses among a certificate's alternative names.
    ///
    /// Nil if the list of names is damaged, or if there are two lists.
    ///
    /// SAFETY: the caller owns a reference to the certificate during this call.
    func alternativeNames(of certificate: Handle) -> [AlternativeName]? {
        var criticality: Int32 = 0
        // SAFETY: the names are freed at the end, and what is read of them is copied.
        let names = unsafe certificates.readExtension(certificate, Constant.alternativeNames, &criticality, nil)
        guard let names = unsafe names else { return criticality == Constant.isMissing ? [] : nil }
        defer { unsafe certificates.freeNames(names) }
        // Names of other kinds are not strings.
        let kinds = [Constant.hostName, Constant.ipAddress, Constant.uri, Constant.emailAddress]
        return unsafe (0..<general.countOfStack(names)).compactMap { index in
            var kind: Int32 = 0
            let value = unsafe certificates.valueOfName(general.elementOfStack(names, index), &kind)
            guard kinds.contains(kind), let bytes = unsafe certificates.bytesOfText(value) else { return nil }
            let count = unsafe Int(certificates.byteCountOfText(value))
            return unsafe AlternativeName(kind: kind, bytes: Array(UnsafeBufferPointer(start: bytes, count: count)))
        }
    }

    /// A distinguished name in the form of RFC 4514; empty without memory.
    ///
    /// SAFETY: the name's certificate lives during this call.
    func text(ofName name: Handle?) -> String {
        // SAFETY: the stream is this function's own, and OpenSSL writes at most as many bytes as the array has.
        guard let stream = unsafe streams.make(streams.memoryMethod()) else { return "" }
        defer { _ = unsafe streams.free(stream) }
        guard unsafe certificates.printName(stream, name, 0, Constant.nameFlags) >= 0 else { return "" }
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 256)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { piece in
                unsafe streams.read(stream, piece.baseAddress, Int32(piece.count))
            }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += piece[..<Int(count)]
        }
    }

    /// The last common name, the most specific one.
    ///
    /// SAFETY: the name's certificate lives during this call.
    func commonName(in name: Handle?) -> String? {
        var place: Int32 = -1
        while true {
            // SAFETY: OpenSSL compares the place with the number of attributes.
            let next = unsafe certificates.placeInName(name, Constant.commonName, place)
            guard next >= 0 else { break }
            place = next
        }
        guard place >= 0 else { return nil }
        var bytes: UnsafeMutablePointer<UInt8>?
        // SAFETY: the attribute belongs to the name; OpenSSL allocates the bytes and returns their number.
        let value = unsafe certificates.valueOfAttribute(certificates.attribute(name, place))
        let count = unsafe certificates.encodeAsUTF8(&bytes, value)
        guard count >= 0, let bytes = unsafe bytes else { return nil }
        defer { unsafe general.free(bytes, nil, 0) }
        let text = unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
        return text.utf8.contains { $0 < 0x20 || $0 == 0x7F } ? nil : text
    }
}
