// SPDX-License-Identifier: Apache-2.0

// Zabbix's header. The messages are generated from zabbix.wire when this target is built.
