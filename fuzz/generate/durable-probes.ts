import type { Random } from "../run/random.ts";

/** Built-ins of the engine itself: their uses need durable things around them, so they are written out. */
const USES: Readonly<Record<string, readonly string[]>> = {
  "cairn.emit": [
    "probe(PATH, () => emit('order.paid', { id: 1, list: [1n, undefined] }));",
    "probe(PATH, () => emit('bad', () => 1));",
    "probe(PATH, () => emit('map', new Map([[1, new Set([2])]])));",
  ],
  "cairn.progress": [
    "probe(PATH, () => progress(0.5));",
    "probe(PATH, () => progress({ done: [1, 2] }));",
    "probe(PATH, () => progress(Promise.resolve(1)));",
  ],
  "cairn.runInfo": [
    "probe(PATH, () => runInfo());",
    "probe(PATH, () => { const { id, tags, startedAt } = runInfo(); return [id, tags, startedAt.getTime()]; });",
  ],
  "cairn.mapLimit": [
    "await probeAsync(PATH, async () => await mapLimit([1, 2, 3, 4], 2, async (item, index) => [await echo(item), index]));",
    "await probeAsync(PATH, async () => await mapLimit(new Set(['a', 'b']), 5, (item) => item + item));",
    "await probeAsync(PATH, async () => await mapLimit([1], 0, (item) => item));",
    "await probeAsync(PATH, async () => await mapLimit([3, 2, 1], 1, async (item) => { if (item === 2) throw new RangeError('§two'); return echo(item); }));",
    "await probeAsync(PATH, async () => await mapLimit([], 1.5, (item) => item));",
  ],
  "cairn.Signal.prototype.wait": [
    "await probeAsync(PATH, async () => await approved.wait({ timeout: 50 }));",
    "await probeAsync(PATH, async () => await signal('answers').wait({ timeout: '2 days' }));",
    "await probeAsync(PATH, async () => await approved.wait({ timeout: String('soon') }));",
    "await probeAsync(PATH, async () => await approved.wait({ timeout: new Date(Date.now() + 5) }));",
  ],
  "cairn.Durable.prototype.with": [
    "await probeAsync(PATH, async () => await echo.with({ timeout: 5 })('x'));",
    "await probeAsync(PATH, async () => await echo.with({ id: 'fixed' }).with({ retry: { attempts: 3 } })(1, 2));",
    "await probeAsync(PATH, async () => await child.with({ timeout: '1 h' })(4));",
  ],
  // Bodies only ever catch it: it is made where a value cannot be stored.
  "cairn.NotStorable": [
    "await probeAsync(PATH, async () => { try { await echo(1, [() => 1]); } catch (error) { return [error instanceof NotStorable, error]; } return 'stored'; });",
    "await probeAsync(PATH, async () => { try { emit('x', /x/); } catch (error) { return [error instanceof NotStorable, error.path, error.reason]; } return 'stored'; });",
  ],
  "cairn.NotStorable.prototype.name": [
    "await probeAsync(PATH, async () => { try { await child(Promise.resolve(1)); } catch (error) { return [error.name, String(error)]; } return 'stored'; });",
  ],
  // Made where a schema refuses something: bodies catch these too.
  "cairn.InvalidInput": [
    "await probeAsync(PATH, async () => { try { await refuse('input'); } catch (error) { return [error instanceof InvalidInput, error instanceof InvalidOutput, error]; } return 'taken'; });",
  ],
  "cairn.InvalidInput.prototype.name": [
    "await probeAsync(PATH, async () => { try { await refuse('input'); } catch (error) { return [error.name, String(error)]; } return 'taken'; });",
  ],
  "cairn.InvalidOutput": [
    "await probeAsync(PATH, async () => { try { await refuse('output'); } catch (error) { return [error instanceof InvalidOutput, error instanceof InvalidInput, error]; } return 'taken'; });",
  ],
  "cairn.InvalidOutput.prototype.name": [
    "await probeAsync(PATH, async () => { try { await refuse('output'); } catch (error) { return [error.name, String(error)]; } return 'taken'; });",
  ],
  "cairn.Durable.prototype.start": [
    "await probeAsync(PATH, async () => await child.start({ n: 1 }));",
    "await probeAsync(PATH, async () => await child.start(2, { id: 'own' }));",
  ],
};

export function durableProbe(path: string, random: Random): string | null {
  const uses = USES[path];
  return uses === undefined ? null : random.pick(uses).replace("PATH", JSON.stringify(path));
}
