"""Starts a job and waits for its end: start.py media.measure '"a text"'"""
import os
import sys

import grpc
from cairn.v1 import client_pb2 as clients, client_pb2_grpc
from cairn.v1.calls_pb2 import Value

namespace, [_, job, payload] = os.environ.get("CAIRN_NAMESPACE", "default"), sys.argv
with grpc.insecure_channel(os.environ.get("CONTROL_PLANE_GRPC_URL", "127.0.0.1:50051")) as channel:
    client = client_pb2_grpc.ClientServiceStub(channel)
    run = clients.StartRun(type=job, payload=Value(json=payload))
    [answer] = client.Start(clients.StartRequest(namespace=namespace, runs=[run])).runs
    if answer.HasField("error"):
        sys.exit(f"{answer.error.code}: {answer.error.message}")
    wanted = clients.WaitRequest(namespace=namespace, run_ids=[answer.started or answer.existed])
    [end] = next(client.Wait(iter([wanted]))).ends
    print(clients.RunStatus.Name(end.status), end.value.json)
    sys.exit(0 if end.status == clients.RUN_STATUS_SUCCEEDED else 1)
