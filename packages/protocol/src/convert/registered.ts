import { create } from "@bufbuild/protobuf";
import {
  ConcurrencyLimit,
  HeartbeatTimeoutMs,
  InlineJson,
  LimitKey,
  Name,
  RateLimit,
  RegisteredAction,
  RegisteredWorkflow,
  SecretName,
  SECRETS_MAX,
  SOURCE_FILES_MAX,
  type SourceFile,
  Tags,
  TAGS_MAX,
} from "@cairnjs/schemas";
import * as pb from "../pb.ts";
import { retryPolicyFromProto, retryPolicyToProto } from "./call.ts";
import { eachOf, InvalidMessage, numberOf, optional, present, required, texts } from "./invalid-message.ts";
import {
  longTextFromProto,
  longTextToProto,
  optionalValueFromProto,
  optionalValueToProto,
  valueFromProto,
  valueToProto,
} from "./value.ts";

const action = RegisteredAction.shape;
const workflow = RegisteredWorkflow.shape;

export function registeredActionFromProto(message: pb.RegisteredAction | undefined, path = "action"): RegisteredAction {
  const { name, inputSchema, retry, heartbeatTimeoutMs, isolation, secrets, ...limits } = present(message, path);
  return {
    name: required(action.name, name, path, "name"),
    inputSchema: optional(InlineJson, inputSchema, path, "input_schema"),
    retry: retry === undefined ? null : retryPolicyFromProto(retry, `${path}.retry`),
    heartbeatTimeoutMs: optional(HeartbeatTimeoutMs, numberOf(heartbeatTimeoutMs), path, "heartbeat_timeout_ms"),
    isolate: isolationFromProto(isolation, path),
    ...limitsFromProto(limits, path),
    ...(secrets.length === 0 ? {} : { secrets: texts(SecretName, secrets, SECRETS_MAX, path, "secrets") }),
  };
}

function limitsFromProto(
  { concurrency, rate }: Pick<pb.RegisteredAction, "concurrency" | "rate">,
  path: string,
): Pick<RegisteredAction, "concurrency" | "rate"> {
  const limits: { concurrency?: ConcurrencyLimit; rate?: RateLimit } = {};
  if (concurrency !== undefined) {
    const of = `${path}.concurrency`;
    const limit = required(ConcurrencyLimit.shape.limit, concurrency.limit, of, "limit");
    limits.concurrency = { limit, key: limitKeyFromProto(concurrency.key, `${of}.key`) };
  }
  if (rate !== undefined) {
    const of = `${path}.rate`;
    const limit = required(RateLimit.shape.limit, rate.limit, of, "limit");
    const perMs = required(RateLimit.shape.perMs, numberOf(rate.perMs), of, "per_ms");
    limits.rate = { limit, perMs, key: limitKeyFromProto(rate.key, `${of}.key`) };
  }
  return limits;
}

const [PathKey, ProgramKey] = LimitKey.options;

function limitKeyFromProto(message: pb.LimitKey | undefined, path: string): LimitKey | null {
  if (message === undefined) return null;
  const { key } = message;
  if (key.case === "path") return { path: required(PathKey.shape.path, key.value, path, "path") };
  if (key.case === "program") return { program: required(ProgramKey.shape.program, key.value, path, "program") };
  throw new InvalidMessage(`${path}.key`, "is missing: give path or program");
}

function limitKeyToProto(key: LimitKey | null): { key?: pb.LimitKey } {
  if (key === null) return {};
  const said =
    "path" in key ? { case: "path" as const, value: key.path } : { case: "program" as const, value: key.program };
  return { key: create(pb.LimitKeySchema, { key: said }) };
}

function isolationFromProto(isolation: number, path: string): RegisteredAction["isolate"] {
  if (isolation === pb.Isolation.THREAD) return "thread";
  if (isolation === pb.Isolation.NONE || isolation === pb.Isolation.UNSPECIFIED) return "none";
  throw new InvalidMessage(`${path}.isolation`, `is ${isolation}, which this version does not know`);
}

export function registeredActionToProto(registered: RegisteredAction): pb.RegisteredAction {
  const { name, inputSchema, retry, heartbeatTimeoutMs, isolate, concurrency, rate, secrets } = registered;
  return create(pb.RegisteredActionSchema, {
    name,
    ...(inputSchema === null ? {} : { inputSchema }),
    ...(retry === null ? {} : { retry: retryPolicyToProto(retry) }),
    ...(heartbeatTimeoutMs === null ? {} : { heartbeatTimeoutMs: BigInt(heartbeatTimeoutMs) }),
    isolation: isolate === "thread" ? pb.Isolation.THREAD : pb.Isolation.NONE,
    ...(concurrency === undefined
      ? {}
      : {
          concurrency: create(pb.ConcurrencyLimitSchema, {
            limit: concurrency.limit,
            ...limitKeyToProto(concurrency.key),
          }),
        }),
    ...(rate === undefined
      ? {}
      : {
          rate: create(pb.RateLimitSchema, {
            limit: rate.limit,
            perMs: BigInt(rate.perMs),
            ...limitKeyToProto(rate.key),
          }),
        }),
    ...(secrets === undefined ? {} : { secrets }),
  });
}

export function registeredWorkflowFromProto(
  message: pb.RegisteredWorkflow | undefined,
  path = "workflow",
): RegisteredWorkflow {
  const { name, version, programHash, program, inputSchema, sources, maxAttempts, tags } = present(message, path);
  return {
    name: required(workflow.name, name, path, "name"),
    version: required(workflow.version, version, path, "version"),
    programHash: required(workflow.programHash, programHash, path, "program_hash"),
    program: valueFromProto(program, `${path}.program`),
    inputSchema: optionalValueFromProto(inputSchema, `${path}.input_schema`),
    sources: eachOf(sources, SOURCE_FILES_MAX, path, "sources", sourceFileFromProto),
    maxAttempts: required(workflow.maxAttempts, maxAttempts, path, "max_attempts"),
    tags: texts(Tags.element, tags, TAGS_MAX, path, "tags"),
  };
}

export function registeredWorkflowToProto(registered: RegisteredWorkflow): pb.RegisteredWorkflow {
  const { name, version, programHash, program, inputSchema, sources, maxAttempts, tags } = registered;
  return create(pb.RegisteredWorkflowSchema, {
    name,
    version,
    programHash,
    program: valueToProto(program),
    ...optionalValueToProto("inputSchema", inputSchema),
    sources: sources.map((file) =>
      create(pb.SourceFileSchema, { name: file.name, content: longTextToProto(file.content) }),
    ),
    maxAttempts,
    tags,
  });
}

function sourceFileFromProto({ name, content }: pb.SourceFile, path: string): SourceFile {
  return {
    name: required(Name, name, path, "name"),
    content: longTextFromProto(content, `${path}.content`),
  };
}
