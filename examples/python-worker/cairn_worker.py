"""The protocol of workers (docs/protocol.md), with nothing but Debian's python3-grpcio. Values are plain JSON."""
import asyncio, json, os, random, signal, socket, time, uuid

import grpc
from cairn.v1 import calls_pb2 as calls, client_pb2 as clients, client_pb2_grpc, worker_pb2 as frames, worker_pb2_grpc

OPTIONS = [("grpc.use_local_subchannel_pool", 1), ("grpc.keepalive_time_ms", 10_000)]
FOR_GOOD = ("UNAUTHENTICATED", "PERMISSION_DENIED", "FAILED_PRECONDITION", "INVALID_ARGUMENT", "ALREADY_EXISTS")


class NotAgain(Exception):
    """Raised by an action when another try would not help."""


class Call:
    """One try of a call: it runs, or its outcome is held until it is acknowledged. The first argument of handlers."""

    def __init__(self, worker, sender, dispatch):
        self.worker, self.sender, self.dispatch, self.ref = worker, sender, dispatch, dispatch.call
        self.attempt, self.idempotency_key = dispatch.call.attempt, dispatch.idempotency_key
        self.outcome = self.details = self.heartbeat_details = None
        self.task = asyncio.create_task(self.run())

    async def run(self):
        started_at, retry = time.monotonic(), None
        try:
            async with self.worker.places:
                handler, retry, timeout_s = self.worker.actions[self.dispatch.action]
                if self.dispatch.HasField("heartbeat_details"):
                    self.heartbeat_details = decoded(self.dispatch.heartbeat_details)
                result = await asyncio.wait_for(handler(self, *decoded(self.dispatch.args)), timeout_s)
                ended = {"result": encoded(result)}
        except NotAgain as error:
            ended = {"failure": calls.Failure(error=encoded(as_value(error)))}
        except (Exception, asyncio.CancelledError) as error:
            ended = {"failure": calls.Failure(error=encoded(as_value(error)), retry=retry)}
        if self.worker.calls.get(key_of(self.ref)) is not self:
            return  # Nobody waits for it: nothing is said.
        duration_ms = int((time.monotonic() - started_at) * 1000)
        self.outcome = calls.Outcome(call=self.ref, duration_ms=duration_ms, **ended)
        streams = self.worker.open()  # Without any it is held: each that is opened is told all that is held.
        for stream in [self.sender] if self.sender in streams else streams[:1]:
            stream.tell(self)

    def heartbeat(self, details):
        """How far it is: should this try be lost, the next one has it as `heartbeat_details`."""
        self.details = encoded(details)
        for stream in self.worker.open():
            stream.tell(self)


class Stream:
    """To one control plane; opened again whenever it breaks, for as long as others name that control plane."""

    def __init__(self, worker, place):
        self.worker, self.place, self.is_open, self.queue = worker, place, False, asyncio.Queue()

    def say(self, **frame):  # One thing in each: no frame is ever too long.
        self.queue.put_nowait(frames.WorkRequest(**frame))

    def tell(self, call):
        if call.outcome:
            self.say(outcomes=[call.outcome])
        else:
            self.say(heartbeats=[calls.Heartbeat(call=call.ref, details=call.details)])

    async def keep(self):
        wait_s = 0.05
        while self.place in self.worker.named:
            opened_at = time.monotonic()
            try:
                async with channel_to(self.place) as channel:
                    await self.speak(channel)
            except Exception as error:
                print(f"no stream to {self.place[1]}: {getattr(error, 'details', lambda: repr(error))()}", flush=True)
                if isinstance(error, grpc.RpcError) and error.code().name in FOR_GOOD and not self.worker.was_welcome:
                    return self.worker.end(1)
            self.is_open = False
            self.worker.share()
            wait_s = 0.05 if time.monotonic() - opened_at > 5 else min(2, wait_s * 2)
            await asyncio.sleep(wait_s * random.uniform(0.5, 1))
        del self.worker.streams[self.place]

    async def speak(self, channel):
        worker, self.queue = self.worker, asyncio.Queue()
        self.received = self.limit = self.backlog = 0
        # As jobs that can be started; what is known already stays as it is.
        request = clients.RegisterRequest(namespace=worker.namespace, actions=worker.registered)
        await client_pb2_grpc.ClientServiceStub(channel).Register(request, metadata=worker.metadata, timeout=60)
        self.say(hello=worker.hello)
        stream = aiter(worker_pb2_grpc.WorkerServiceStub(channel).Work(said(self.queue), metadata=worker.metadata))
        first = await asyncio.wait_for(anext(stream), 10)
        print(f"connected to {first.welcome.control_plane_id}", flush=True)
        self.is_open = worker.was_welcome = True
        self.say_all()
        if worker.is_draining:
            self.say(draining=True)
        worker.meet(first.welcome.control_planes)
        beating = asyncio.create_task(self.beat(first.welcome.heartbeat_interval_ms / 1000))
        try:
            async for frame in stream:
                self.heard(frame)
        finally:
            beating.cancel()

    def say_all(self):
        self.say(in_flight=frames.InFlight(calls=[call.ref for call in self.worker.calls.values()]))
        for call in self.worker.calls.values():
            self.tell(call)

    async def beat(self, interval_s):
        while await asyncio.sleep(interval_s, True):
            for call in self.worker.calls.values():
                if not call.outcome:
                    self.tell(call)

    def heard(self, frame):
        self.received += len(frame.dispatches)
        if frame.HasField("backlog"):
            self.backlog = frame.backlog.calls
        if frame.goodbye:
            self.is_open = False  # Outcomes go elsewhere, or here when it is back.
        if frame.ask_in_flight:
            self.say_all()
        for ref in frame.acknowledged:
            self.worker.calls.pop(key_of(ref), None)
        for cancel in frame.cancels:
            self.worker.drop(key_of(cancel.call))
        for dispatch in frame.dispatches:
            known = self.worker.calls.get(key_of(dispatch.call))  # A try is run once, however often it is sent.
            self.tell(known) if known else self.worker.begin(self, dispatch)
        self.worker.meet(frame.control_planes)


class Worker:
    def __init__(self, actions, env=os.environ):
        self.actions = {name: (handler, retry, timeout_s) for name, handler, retry, timeout_s in actions}
        self.registered = [calls.RegisteredAction(name=name, retry=retry) for name, _, retry, _ in actions]
        self.seed = place_of(env.get("CONTROL_PLANE_GRPC_URL", "127.0.0.1:50051"))
        self.named = {self.seed}
        self.namespace = env.get("CAIRN_NAMESPACE", "default")
        self.capacity = min(int(env.get("CAIRN_WORKER_CAPACITY", "10")), 500)
        self.drain_s = int(env.get("CAIRN_WORKER_DRAIN_MS", "20000")) / 1000
        said = env.get("CAIRN_KEY") or env.get("CAIRN_TOKEN")
        self.metadata = [("authorization", f"Bearer {said}")] if said else []
        prefixes = prefixes_of(env)
        served = [action for action in self.registered if is_served(action.name, prefixes)]
        worker_id = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4()}"
        self.hello = frames.Hello(
            protocol_version=1, worker_id=worker_id, language="python", library_version="1",
            namespace=self.namespace, prefixes=prefixes or ["default."], actions=served, capacity=self.capacity)
        self.calls, self.streams, self.tasks = {}, {}, set()
        self.was_welcome = self.is_draining = False

    async def run(self):
        """Ends with an exit code: after SIGTERM, or when it is refused."""
        self.ended, self.places = asyncio.get_running_loop().create_future(), asyncio.Semaphore(self.capacity)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.terminate)
        self.meet([])
        return await self.ended

    def open(self):
        return [stream for stream in self.streams.values() if stream.is_open]

    def meet(self, planes):
        if planes:
            places = {place_of(plane.url) for plane in planes if plane.url}
            # Who was given https:// sends its key nowhere without TLS.
            self.named = {place for place in places if place[0] or not self.seed[0]} | {self.seed}
        for place in self.named - self.streams.keys():
            self.streams[place] = stream = Stream(self, place)
            self.tasks.add(asyncio.create_task(stream.keep()))
        self.share()

    def share(self):
        """What is free goes to where calls wait, then to all alike. A call has a place until its outcome is durable."""
        streams, free = self.open(), 0 if self.is_draining else max(0, self.capacity - len(self.calls))
        granted = {stream: 0 for stream in streams}
        for _ in range(free if streams else 0):
            granted[min(streams, key=lambda one: (granted[one] >= one.backlog, granted[one]))] += 1
        for stream, more in granted.items():
            if stream.limit != stream.received + more:
                stream.limit = stream.received + more
                stream.say(credits=frames.Credits(received=stream.received, free=more))

    def begin(self, sender, dispatch):
        self.calls[key_of(dispatch.call)] = Call(self, sender, dispatch)

    def drop(self, key):
        if (call := self.calls.pop(key, None)) and not call.outcome:
            call.task.cancel()

    def end(self, code):
        if not self.ended.done():
            self.ended.set_result(code)

    def terminate(self):
        if self.is_draining:
            return self.end(128 + signal.SIGTERM)  # A second one ends it at once.
        self.is_draining = True
        self.tasks.add(asyncio.create_task(self.drain()))

    async def drain(self):
        for stream in self.open():
            stream.say(draining=True)
        if running := [call.task for call in self.calls.values() if not call.outcome]:
            await asyncio.wait(running, timeout=self.drain_s)
        for key in [key for key, call in self.calls.items() if not call.outcome]:
            self.drop(key)  # Nothing is said of these: they are made again elsewhere.
        flushed_by = time.monotonic() + 5
        while self.calls and time.monotonic() < flushed_by:
            await asyncio.sleep(0.01)
        self.end(1 if self.calls else 0)


def channel_to(place):
    is_secure, address = place
    if is_secure:
        return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(), OPTIONS)
    return grpc.aio.insecure_channel(address, OPTIONS)


async def said(queue):
    while True:
        yield await queue.get()


def key_of(ref):
    return ref.incarnation, ref.run_id, ref.call, ref.attempt


def place_of(url):
    return url.lower().startswith("https://"), url.split("://")[-1]


def prefixes_of(env):
    """`billing` is `billing.`, and `*` the empty text, which all names begin with. None: whatever there is."""
    given = [each.strip() for each in env.get("CAIRN_TYPE_PREFIXES", "").split(",") if each.strip()]
    return ["" if each == "*" else each if "." in each else f"{each}." for each in given] or None


def is_served(name, prefixes):
    return prefixes is None or any(f"{name}.".startswith(prefix) for prefix in prefixes)


def encoded(value):
    text = json.dumps(value, allow_nan=False)
    if len(text) > 256 * 1024:
        raise NotAgain("values of more than 256 KB are blobs, which this example leaves out")
    return calls.Value(json=text)


def decoded(value):
    if value.HasField("blob"):
        raise NotAgain("values of more than 256 KB are blobs, which this example leaves out")
    return json.loads(value.json)


def as_value(error):
    names = [each.__name__ for each in type(error).__mro__ if each not in (Exception, BaseException, object)]
    return {"$error": {"names": [*names, "Error"], "message": str(error)[:10_000]}}
