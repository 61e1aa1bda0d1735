// SPDX-License-Identifier: Apache-2.0

// Requests with several replies, in packets without sequence numbers.
