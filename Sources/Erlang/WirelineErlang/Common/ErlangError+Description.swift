// SPDX-License-Identifier: Apache-2.0

extension ErlangError: CustomStringConvertible {
    /// The error in words.
    public var description: String {
        switch self {
        case .truncated(let needed, let available, let offset):
            "\(needed) bytes are needed at offset \(offset), and \(available) are left"
        case .invalidTerm(let fault, let offset): "\(fault) at offset \(offset)"
        case .tooDeep(let limit, let offset): "terms are nested more than \(limit) deep at offset \(offset)"
        case .tooManyTerms(let limit, let offset): "the term has more than \(limit) parts at offset \(offset)"
        case .integerTooLong(let limit, let offset): "an integer has more than \(limit) bytes at offset \(offset)"
        case .termTooLong(let limit): "the term has more than \(limit) bytes"
        case .unwritableTerm(let fault): "the term cannot be sent: \(fault)"
        case .unwritableDepth(let limit): "the term cannot be sent: it is nested more than \(limit) deep"
        case .invalidText(let fault, let offset): "\(fault) at byte \(offset)"
        case .invalidAnswer(let fault): "epmd: \(fault)"
        case .handshake(let fault): "the handshake failed: \(fault)"
        case .distribution(let fault): "\(fault)"
        }
    }
}

extension ErlangTermFault: CustomStringConvertible {
    /// The fault in words.
    public var description: String {
        switch self {
        case .version(let byte): "the version is \(byte) and not 131"
        case .unknownTag(let tag): "no term has the tag \(tag)"
        case .notAnAtom(let tag): "an atom is expected, and the tag is \(tag)"
        case .atomTooLong: "an atom has more than 255 characters"
        case .invalidUTF8: "an atom is not UTF-8"
        case .notFinite: "a float is not a finite number"
        case .floatText: "the text of a float is not a number"
        case .bitCount(let count): "the last byte of a bit string has \(count) bits"
        case .wordCount(let count): "a reference has \(count) words"
        case .duplicateKey: "a map has a key twice"
        case .function: "a number of a function is out of range"
        case .compressed: "a compressed term is not accepted"
        case .damagedCompression: "a compressed term is damaged"
        case .trailingBytes(let count): "\(count) bytes stand after the term"
        }
    }
}

extension ErlangTextFault: CustomStringConvertible {
    /// The fault in words.
    public var description: String {
        switch self {
        case .incomplete: "the text ends inside a term"
        case .unexpectedCharacter: "another character is expected"
        case .variable: "a variable has no value here (an atom begins with a small letter, or stands in quotes)"
        case .reservedWord: "a reserved word is an atom only in quotes"
        case .number: "not a number"
        case .escape: "not an escape"
        case .atomTooLong: "an atom has more than 255 characters"
        case .segment: "a part of a binary does not fit"
        case .duplicateKey: "a map has a key twice"
        case .tooDeep: "terms are nested too deeply"
        case .function: "only a function of a module can be written, as fun lists:sum/1"
        case .trailingText: "text stands after the term"
        }
    }
}

extension EPMDFault: CustomStringConvertible {
    /// The fault in words.
    public var description: String {
        switch self {
        case .tag(let tag): "the answer begins with \(tag)"
        case .truncated: "the connection ended inside the answer"
        case .tooLong(let limit): "the answer has more than \(limit) bytes"
        case .trailingBytes: "bytes follow the answer"
        case .line: "a line is not a name with a port"
        case .port: "the port is 0"
        }
    }
}

extension ErlangHandshakeFault: CustomStringConvertible {
    /// The fault in words. No word says anything about the cookie's text.
    public var description: String {
        switch self {
        case .cookieRefused: "the node closed after our challenge reply, so our cookie is not its cookie"
        case .wrongCookie: "the node's challenge reply is wrong, so its cookie is not ours"
        case .ended: "the connection ended"
        case .notAllowed: "the connection is not allowed"
        case .simultaneous: "the node has begun to connect to us, and its connection stays"
        case .alive: "a connection to the node is up already"
        case .status: "the status is unknown"
        case .tls: "the node speaks TLS (inet_tls), and this one does not"
        case .tooLong(let limit): "a message has more than \(limit) bytes"
        case .malformed: "a message is malformed"
        case .name: "the name is not a node's"
        case .ownName: "the node has our own name"
        case .otherNode: "another node answered"
        case .missingFlags(let flags): "the node lacks the flags 0x\(String(flags, radix: 16))"
        case .creation: "the creation is 0"
        }
    }
}

extension ErlangDistributionFault: CustomStringConvertible {
    /// The fault in words.
    public var description: String {
        switch self {
        case .packetTooLong(let limit): "a packet has more than \(limit) bytes"
        case .header(let byte): "a packet begins with \(byte)"
        case .atomCache: "a packet refers to an atom cache that was not agreed"
        case .fragment: "a fragment is out of order"
        case .tooManyFragmentedMessages(let limit): "more than \(limit) messages wait for fragments"
        case .fragmentsTooLong(let limit): "messages that wait for fragments have more than \(limit) bytes"
        case .control: "a control message is malformed"
        case .foreignSender: "the sender is a process of another node"
        case .foreignReceiver: "the receiver is a process of another node"
        case .processGroup: "a message to a process group is malformed"
        }
    }
}
