// SPDX-License-Identifier: Apache-2.0

/// The sessions that a client may resume, the latest of each server name.
///
/// The lock behind `@unchecked Sendable` is OpenSSL's, so that this module needs none of its own; underneath it is one of
/// the system.
@safe
final class SessionStore: @unchecked Sendable {
    /// A session and what became of the pins when its certificates were seen.
    @safe
    struct Entry {
        let session: Handle
        let pinOutcome: TLSPinOutcome
    }

    /// How many names are kept; the one that came first goes when there are more.
    static let nameLimit = 256

    private let openSSL: OpenSSL
    private let lock: AnyPointer?
    private var entries: [String: Entry] = [:]
    private var names: [String] = []

    init(_ openSSL: OpenSSL) {
        self.openSSL = openSSL
        unsafe lock = openSSL.locks.make()
        precondition(unsafe lock != nil, "no memory for a lock")
    }

    deinit {
        for entry in entries.values { unsafe openSSL.sessions.free(entry.session) }
        unsafe openSSL.locks.free(lock)
    }

    /// Keeps a session and takes its reference over.
    func put(_ entry: Entry, for name: String) {
        var replaced: [Entry] = []
        withLock {
            if let old = entries.updateValue(entry, forKey: name) {
                replaced.append(old)
            } else {
                names.append(name)
                if names.count > Self.nameLimit, let oldest = entries.removeValue(forKey: names.removeFirst()) {
                    replaced.append(oldest)
                }
            }
        }
        for old in replaced { unsafe openSSL.sessions.free(old.session) }
    }

    /// Takes the session of a name out, reference and all.
    func take(for name: String) -> Entry? {
        withLock {
            guard let entry = entries.removeValue(forKey: name) else { return nil }
            names.removeAll { $0 == name }
            return entry
        }
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        _ = unsafe openSSL.locks.lock(lock)
        defer { _ = unsafe openSSL.locks.unlock(lock) }
        return body()
    }
}
