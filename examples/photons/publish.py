"""Publish a document of photons as a satellite would: line by line at a steady rate, to whoever connects first.

    python publish.py photons.xml --rate 25 --port 7000
    xylem stream vela.xq --input tcp://127.0.0.1:7000 --output console --checkpoint state

With port 0 a free one is taken, and written to the file that `--port-file` names. With `--after` nothing is sent before
that file is there. It ends with the document.
"""

from __future__ import annotations

import argparse
import socket
import time
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("document", type=Path)
    parser.add_argument("--rate", type=float, default=25.0, help="photons in a second")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", type=Path)
    parser.add_argument("--after", type=Path)
    arguments = parser.parse_args()
    with socket.create_server(("127.0.0.1", arguments.port)) as server:
        port = server.getsockname()[1]
        if arguments.port_file is not None:
            arguments.port_file.write_text(str(port))
        else:
            print(f"publishing on port {port}", flush=True)
        connection, _ = server.accept()
        with connection:
            while arguments.after is not None and not arguments.after.exists():
                time.sleep(0.05)
            publish(connection, arguments.document, arguments.rate)


def publish(connection: socket.socket, document: Path, rate: float) -> None:
    """Send each line when it is due."""
    began = time.monotonic()
    with document.open("rb") as lines:
        for number, line in enumerate(lines):
            time.sleep(max(0.0, began + number / rate - time.monotonic()))
            connection.sendall(line)


if __name__ == "__main__":
    main()
