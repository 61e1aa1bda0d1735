// SPDX-License-Identifier: Apache-2.0

// Modbus/TCP (MODBUS Application Protocol V1.1b3 and MODBUS Messaging on TCP/IP V1.0b, modbus.org). The messages are
// generated from modbus.wire when this target is built.
