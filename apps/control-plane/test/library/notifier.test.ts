import { expect, it, onTestFinished } from "vitest";
import { Notifier } from "../../src/library/notifier.ts";
import { pooledUrl } from "../../src/store/pooled-url.ts";
import { type TestBed, testBed, until } from "../support/test-engine.ts";

interface Heard {
  readonly notifier: Notifier;
  readonly channels: string[];
  readonly listening: boolean[];
}

async function notifierOn(bed: TestBed, listenUrl: string | null, url = bed.url): Promise<Heard> {
  const channels: string[] = [];
  const listening: boolean[] = [];
  const notifier = new Notifier({
    url,
    listenUrl,
    heard: (channel) => void channels.push(channel),
    listening: (isListening) => void listening.push(isListening),
    warn: () => {},
  });
  await notifier.open();
  onTestFinished(() => notifier.close());
  return { notifier, channels, listening };
}

it("others hear what a process tells, and it does not hear itself", async () => {
  const bed = await testBed();
  const [one, other] = [await notifierOn(bed, bed.url), await notifierOn(bed, bed.url)];
  one.notifier.notify("cairn_work");
  await until(async () => other.channels.length === 1);
  other.notifier.notify("cairn_mail");
  await until(async () => one.channels.length === 1);
  expect([one.channels, other.channels]).toEqual([["cairn_mail"], ["cairn_work"]]);
});

it("one that cannot listen says so, and is heard by others all the same", async () => {
  const bed = await testBed();
  const [deaf, other] = [await notifierOn(bed, null, pooledUrl(bed.url)), await notifierOn(bed, bed.url)];
  expect([deaf.listening, other.listening]).toEqual([[false], [true]]);
  deaf.notifier.notify("cairn_ended");
  await until(async () => other.channels.length === 1);
  other.notifier.notify("cairn_work");
  deaf.notifier.notify("cairn_work");
  await until(async () => other.channels.length === 2);
  expect(deaf.channels).toEqual([]);
});

it("one that loses its connection says that it hears nothing, comes back, and then looks at everything", async () => {
  const bed = await testBed();
  const { channels, listening, notifier } = await notifierOn(bed, bed.url);
  await bed.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cairn notifier'");
  await until(async () => listening.length === 3);
  expect(listening).toEqual([true, false, true]);
  await until(async () => channels.length === 5);
  expect(channels).toEqual(["cairn_work", "cairn_mail", "cairn_ended", "cairn_chunks", "cairn_outbox"]);
  const other = await notifierOn(bed, bed.url);
  notifier.notify("cairn_mail");
  await until(async () => other.channels.length === 1);
});
