// SPDX-License-Identifier: Apache-2.0

/// The sessions that a client may resume: the latest of each server name.
///
/// The lock for `@unchecked Sendable` is OpenSSL's: a `Mutex` would not hand out the sessions, which are pointers.
@safe
final class SessionStore: @unchecked Sendable {
    /// A session and the pin result of its original handshake.
    @safe
    struct Entry {
        let session: Handle
        let pinOutcome: TLSPinOutcome
        /// In seconds since 1970.
        let deadline: Int
    }

    /// Beyond it, the store removes the oldest name.
    static let nameLimit = 256

    private let openSSL: OpenSSL
    private let lock: AnyPointer?
    private var entries: [String: Entry] = [:]
    private var names: [String] = []

    init(_ openSSL: OpenSSL) {
        self.openSSL = openSSL
        // SAFETY: the lock is this object's own from here to `deinit`.
        unsafe lock = openSSL.locks.make()
        precondition(unsafe lock != nil, "no memory for a lock")
    }

    deinit {
        // SAFETY: the last reference to this object is gone, and each entry owns one reference to its session.
        for entry in entries.values { unsafe openSSL.sessions.free(entry.session) }
        unsafe openSSL.locks.free(lock)
    }

    /// Takes ownership of the entry's reference.
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
        // SAFETY: the entry was removed under the lock, so this call alone owns its reference.
        for old in replaced { unsafe openSSL.sessions.free(old.session) }
    }

    /// The caller takes ownership of the entry's reference.
    func take(for name: String) -> Entry? {
        withLock {
            guard let entry = entries.removeValue(forKey: name) else { return nil }
            names.removeAll { $0 == name }
            return entry
        }
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        // SAFETY: the lock lives as long as this object, and the same thread unlocks it.
        _ = unsafe openSSL.locks.lock(lock)
        defer { _ = unsafe openSSL.locks.unlock(lock) }
        return body()
    }
}
