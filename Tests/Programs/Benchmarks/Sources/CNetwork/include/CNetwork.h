// SPDX-License-Identifier: Apache-2.0
//
// Servers as processes, what they cost, and the load that all of them get: packets of a big-endian uint32 that counts the
// whole packet, a big-endian uint16 that is the ID, and a payload.
//
// The contract of a server of packets: it prints `listening on HOST:PORT`, takes packets of at least 16 MiB, and ends with 0
// on SIGTERM. It sends every packet back as it came, in order, but for two IDs:
//   0x7001  is counted, with its payload's bytes, and has no reply
//   0x7002  is answered by a packet of the same ID: two big-endian uint64, the packets and the payload bytes counted on
//           this connection, which then starts again from 0
//
// The contract of a server of WebSockets (RFC 6455): it prints the same, ends the same, accepts a request for `/`, takes
// messages of 16 MiB and sends each back in one frame, in order. A frame that closes is answered with its code.
#ifndef CNETWORK_H
#define CNETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

enum { network_counted_id = 0x7001, network_count_id = 0x7002, network_failure_room = 256 };

// What went wrong, as a text; empty while nothing has.
typedef struct {
    char text[network_failure_room];
} network_failure;

// --- Processes

typedef struct {
    pid_t pid;
    int output;
    uint16_t port;
    // Whether it speaks TLS 1.3; the load then does, too.
    bool uses_tls;
    // Whether it is a server of WebSockets; packets of the load's are messages then, without length and ID.
    bool uses_websocket;
} network_server;

// Gives this process, and those that it starts, as many descriptors as they may have; the number of them.
int network_raise_descriptor_limit(void);

// Two processors that this process may use, one for the server and one for the load; false, and -1, where there is one.
bool network_processors(int *server, int *load);

// Lets this thread run on one processor only.
void network_stay_on(int processor);

// How long a server may be silent, which is 2 minutes by default, so that no busy machine is taken for a fault.
void network_wait_at_most(int seconds);

// Starts a program, on one processor unless that is -1, and waits until it listens. It ends when this thread does.
bool network_start(
    const char *_Nullable const *_Nonnull arguments, int processor, network_server *server, network_failure *failure);

// Whether there is what the load needs for TLS.
bool network_has_tls(network_failure *failure);

// Asks the program to end, and waits. False unless it ended with 0.
bool network_stop(const network_server *server, network_failure *failure);

// --- Load

typedef struct {
    // Echoed or counted packets, all verified, and how long that took.
    uint64_t packets;
    double seconds;
    // What the processors spent on it: user and kernel, all threads.
    uint64_t server_nanoseconds, load_nanoseconds;
    // From sending to the whole reply, in nanoseconds; measured where one packet at a time is in flight.
    double median_latency, p99_latency;
    // Resident memory of the server for a connection more.
    double bytes_per_connection;
    network_failure failure;
} network_figures;

// Keeps `in_flight` packets on their way on each connection: a quarter of them is sent anew when it has come back.
// Measures after `seconds` / 8, for `seconds`. Every reply is compared with what was sent.
network_figures network_echo(
    const network_server *server, int connections, int in_flight, size_t payload_byte_count, double seconds);

// Sends packets to be counted for about so long, in blocks of a mebibyte, and verifies both counts.
network_figures network_ingest(const network_server *server, size_t payload_byte_count, double seconds);

// Connects, sends one packet, gets it back and begins anew, several at a time; `packets` are the connections. With
// `resumes` each continues a session (RFC 8446 §2.2), otherwise none does.
network_figures network_handshakes(const network_server *server, bool resumes, double seconds);

// Opens connections, uses each of them once, and sees what the server keeps.
network_figures network_idle(const network_server *server, int connections);

typedef enum {
    network_single_bytes,    // a byte a call
    network_random_cuts,     // a few bytes, or many
    network_bursts,          // a mebibyte a call, full of small packets
    network_long_packets,    // 64 KiB and more, up to 3 MiB, cut at random
} network_delivery;

// Sends a stream of different packets on several connections at once, and compares every byte that comes back; the
// server's stream has to end, with no byte more, when ours has.
network_figures network_deliver(const network_server *server, network_delivery delivery, uint64_t seed);

// Connects members of one room, and sends packets of at least 16 bytes on the first connection, one after another: the
// server sends each packet to all members, and the next one follows when all have it. `packets` are the deliveries, and
// `median_latency` is the time until all members have a packet.
network_figures network_fan_out(
    const network_server *server, int connections, size_t packet_byte_count, double seconds);

// --- Load of gateways

// The contract of a gateway: its clients ask questions, which are `Cs_20001` of Protocols/Scene, and a backend behind it
// answers with `Sc_20001`: `Res` is 1, `SceneId` is the question's `Line`, and the text is the question's. With the scene 4
// the client also joins a group. With the scene 5 there is no answer: the backend publishes `Line` packets to the group,
// whose `Res` is 9.

// Keeps `in_flight` questions of each client without an answer; or, if `rate` is not 0, asks so many in a second, of all
// clients in turn, and counts the latency from when a question was due. `packets` are the answers, which are verified.
network_figures network_ask(const network_server *server, int connections, int in_flight, int rate, double seconds);

// Clients join a group, to which `together` packets are published, and then others when all have them. `packets` are the
// deliveries.
network_figures network_publish(const network_server *server, int connections, int together, double seconds);

// Opens connections, asks a question on each, and sees what the server keeps for one more.
network_figures network_keep(const network_server *server, int connections);

// --- The limit

// What the server does wrong, once, so that it can be seen whether the load finds it.
typedef enum {
    network_no_fault,
    network_changes_byte,
    network_drops_packet,
    network_repeats_packet,
} network_fault;

// A server in hand-written C on one thread, for ever. Each packet is read, told by its ID, and written anew.
//
// With a certificate and its key, in files of PEM, it speaks TLS 1.3 through OpenSSL.
int network_serve_epoll(network_fault fault, const char *_Nullable certificate, const char *_Nullable key);

// The same of WebSockets: each message is unmasked on its way into the reply.
int network_serve_websocket(network_fault fault);

// Sends every packet to all connections, for ever: one shared buffer, and one write for each connection.
int network_serve_fan_out(void);

#pragma clang assume_nonnull end

#endif
