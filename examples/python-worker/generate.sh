#!/bin/sh
# Makes stubs of the contract in the folder that is given: protobuf-compiler and protobuf-compiler-grpc of Debian.
set -eu
proto="$(dirname "$0")/../../packages/protocol/proto"
mkdir -p "$1"
protoc -I "$proto" --python_out="$1" --grpc_python_out="$1" \
  --plugin=protoc-gen-grpc_python="$(command -v grpc_python_plugin)" "$proto"/cairn/v1/*.proto
