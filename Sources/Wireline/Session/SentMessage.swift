// SPDX-License-Identifier: Apache-2.0

public import WirelineSession
import WirelineTransport

/// A message that a session has taken. The session lasts for as long as this is held.
public struct SentMessage: Sendable {
    private let ticket: DeliveryTicket
    private let driver: any DeliveryDriver
    private let session: any AnyObject & Sendable

    /// - Parameters:
    ///   - ticket: What the message is known by.
    ///   - driver: Who has it.
    ///   - session: What keeps the session.
    init(_ ticket: DeliveryTicket, in driver: any DeliveryDriver, of session: any AnyObject & Sendable) {
        self.ticket = ticket
        self.driver = driver
        self.session = session
    }

    /// Waits for what becomes of it.
    ///
    /// - Throws: ``ConnectionError/cancelled`` when the task is cancelled; the message goes its way then.
    public func outcome() async throws(ConnectionError) -> MessageOutcome {
        let (ticket, loop, wait) = (ticket, driver.loop, WaitTicket())
        let outcome = await loop.visit {
            await withTaskCancellationHandler {
                await withCheckedContinuation { ticket.wait(wait, $0) }
            } onCancel: {
                loop.execute { ticket.stopWaiting(wait) }
            }
        }
        guard let outcome else { throw .cancelled }
        return outcome
    }

    /// Gives it up: it is not sent any more. It may have been already.
    public func cancel() {
        driver.loop.execute { [driver, ticket] in driver.cancel(ticket) }
    }
}

/// Who has messages, whatever carries them.
protocol DeliveryDriver: AnyObject, Sendable {
    var loop: EventLoop { get }

    /// Gives a message up.
    func cancel(_ ticket: DeliveryTicket)
}

extension SessionDriver: DeliveryDriver {}
