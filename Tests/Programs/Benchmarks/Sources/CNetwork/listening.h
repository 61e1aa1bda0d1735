// SPDX-License-Identifier: Apache-2.0
#ifndef NETWORK_LISTENING_H
#define NETWORK_LISTENING_H

// Listens at 127.0.0.1 at a port that the system chooses, and prints it as all servers do. Ends the process if it cannot.
int listen_on_any_port(void);

#endif
