// SPDX-License-Identifier: Apache-2.0

/// The version of the Internet protocol of an address.
public enum AddressFamily: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    case ipv6
    case ipv4

    public var description: String { self == .ipv6 ? "IPv6" : "IPv4" }
}
