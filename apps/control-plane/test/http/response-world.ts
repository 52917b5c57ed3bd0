import { newRunId } from "../../src/ids.ts";
import { until } from "../support/test-engine.ts";
import type { RestBed } from "../support/test-rest.ts";
import { approved, sums, undone } from "../workflows/basics.ts";

export const SUBSCRIPTION = { types: ["none.*"], target: { kind: "port", port: "none" } };

/** Runs and other things in all their states. */
export class World {
  readonly rest: RestBed;

  #ended: Promise<string> | null = null;
  #deleted: Promise<string> | null = null;

  constructor(rest: RestBed) {
    this.rest = rest;
  }

  /** One that waits for signals. */
  async living(): Promise<string> {
    const id = await this.rest.start(approved.name);
    await until(async () => (await this.rest.ask("GET", `/runs/${id}`)).body["phase"] === "waiting");
    return id;
  }

  /** One for all who change nothing of it. */
  ended(): Promise<string> {
    return (this.#ended ??= this.ownEnded());
  }

  async ownEnded(): Promise<string> {
    const id = await this.rest.start(sums.name, { n: 2 });
    await this.rest.result(id);
    return id;
  }

  async failed(): Promise<string> {
    const id = await this.rest.start(undone.name, "case");
    await this.rest.result(id);
    return id;
  }

  /** One for all who leave it so. */
  deleted(): Promise<string> {
    return (this.#deleted ??= this.ownDeleted());
  }

  async ownDeleted(): Promise<string> {
    const id = await this.ownEnded();
    await this.rest.ask("DELETE", `/runs/${id}`);
    return id;
  }

  /** A deleted one, whose key another one has by now. */
  async replaced(): Promise<string> {
    const key = { idempotencyKey: this.nowhere() };
    const id = await this.rest.start(sums.name, { n: 2 }, key);
    await this.rest.result(id);
    await this.rest.ask("DELETE", `/runs/${id}`);
    await this.rest.start(sums.name, { n: 2 }, key);
    return id;
  }

  nowhere(): string {
    return newRunId(Date.now());
  }

  /** An address that signals a run which waits for it. */
  async token(expiresInMs = 60_000): Promise<{ readonly url: string; readonly id: string }> {
    const id = await this.living();
    const { body } = await this.rest.ask("POST", `/runs/${id}/tokens`, { signal: "approval", expiresInMs });
    return { url: `/v1/tokens/${String(body["token"])}`, id };
  }

  async expiredToken(): Promise<string> {
    const { url } = await this.token(1_000);
    await this.rest.bed.advance(2_000);
    return url;
  }

  async schedule(name: string, body: object = {}): Promise<string> {
    const url = `/schedules/${sums.name}/${name}`;
    await this.rest.ask("PUT", url, { everyMs: 3_600_000, payload: { n: 1 }, ...body });
    return `/v1${url}`;
  }

  async version(): Promise<string> {
    const { body } = await this.rest.ask("GET", `/workflows/${sums.name}/versions`);
    const [{ version }] = body["items"] as [{ version: string }];
    return version;
  }

  async key(): Promise<string> {
    const { body } = await this.rest.ask("POST", "/keys", { name: "case", scopes: ["read"] });
    return `/v1/keys/${String(body["id"])}`;
  }

  async subscription(name: string): Promise<string> {
    await this.rest.ask("PUT", `/subscriptions/${name}`, SUBSCRIPTION);
    return `/v1/subscriptions/${name}`;
  }
}
