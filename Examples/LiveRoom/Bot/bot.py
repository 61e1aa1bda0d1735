#!/usr/bin/env python3
"""A bot for the live room: it enters room 1, greets whoever enters, and sends a rose to whoever asks for one.

    wire generate python --out Bot --protocol Sources/LiveRoom
    python3 Bot/bot.py 127.0.0.1 9001
"""

import socket
import sys

from live_room_protocol import (
    EnterRoom, Gift, Goodbye, Login, LoginResult, Ping, RoomEntered, Said, Say, SendGift, Splitter, UserEntered, Welcome, encode,
)

NAME = "Robot"


def replies(message):
    """What the bot sends after a message."""
    match message:
        case Welcome(result=LoginResult.WELCOME):
            return [EnterRoom(room=1)]
        case Welcome(result=result):
            sys.exit(f"the server refuses the name {NAME}: {result!r}")
        case RoomEntered(room=room, users=users):
            print(f"room {room}: {', '.join(user.name for user in users)}", flush=True)
        case UserEntered(user=user):
            return [Say(text=f"welcome, {user.name}")]
        case Said(user=user, text="a rose, please") if user.name != NAME:
            return [SendGift(gift=Gift.ROSE, count=1)]
        case Goodbye(reason=reason):
            sys.exit(f"the server says goodbye: {reason!r}")
    return []


def main():
    host, port = sys.argv[1], int(sys.argv[2])
    with socket.create_connection((host, port)) as connection:
        # Within this time nobody may have said anything.
        connection.settimeout(10)
        connection.sendall(encode(Login(name=NAME, token="let-me-in")))
        splitter = Splitter("server")
        while True:
            try:
                chunk = connection.recv(65536)
            except TimeoutError:
                connection.sendall(encode(Ping()))
                continue
            if not chunk:
                break
            splitter.push(chunk)
            for packet in splitter:
                for reply in replies(packet.message):
                    connection.sendall(encode(reply))
        splitter.finish()


main()
