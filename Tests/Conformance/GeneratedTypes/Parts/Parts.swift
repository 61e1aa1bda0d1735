// SPDX-License-Identifier: Apache-2.0

// Packets whose content can be other packets, a part of a message, and enciphered; both ends send all of them.
