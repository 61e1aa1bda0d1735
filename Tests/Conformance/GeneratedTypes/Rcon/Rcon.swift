// SPDX-License-Identifier: Apache-2.0

// Requests whose failure the sequence number says.
