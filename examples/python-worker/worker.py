"""Actions in Python, and the process that runs them."""
import asyncio
import sys

from cairn.v1.calls_pb2 import RetryPolicy
from cairn_worker import NotAgain, Worker


async def measure(call, text):
    if not isinstance(text, str):
        raise NotAgain("only texts can be measured")
    return {"letters": len(text), "words": len(text.split())}


async def fetch(call, name):
    if call.attempt < 3:
        raise ConnectionError(f"{name} is busy")
    return f"{name}, at attempt {call.attempt}"


async def encode(call, video):
    name, done = video["name"], call.heartbeat_details or 0
    print(f"encoding {name} from {done}, attempt {call.attempt}", flush=True)
    try:
        while done < video["seconds"] * 10:
            await asyncio.sleep(0.1)  # Code that blocks belongs into asyncio.to_thread().
            done += 1
            call.heartbeat(done)
    except asyncio.CancelledError:
        print(f"encoding {name} was cancelled", flush=True)
        raise
    print(f"encoded {name}", flush=True)
    return f"{name} encoded"


ACTIONS = [
    ("media.measure", measure, RetryPolicy(attempts=3, base_ms=1_000, cap_ms=60_000), 5),
    ("media.fetch", fetch, RetryPolicy(attempts=5, base_ms=50, cap_ms=1_000), 30),
    ("media.encode", encode, RetryPolicy(attempts=2, base_ms=1_000, cap_ms=60_000), None),
]

if __name__ == "__main__":
    sys.exit(asyncio.run(Worker(ACTIONS).run()))
