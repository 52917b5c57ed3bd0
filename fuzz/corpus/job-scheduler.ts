import { action, sleep, workflow } from "cairnjs";

interface Job {
  id: string;
  priority: number;
  needs: string[];
  costMs: number;
}

class CyclicJobs extends Error {
  jobs: string[];
  constructor(jobs: string[]) {
    super(`§cycle: ${jobs.join(" → ")}`);
    this.jobs = jobs;
  }
}

const execute = action("execute", async (id: string, worker: number) => `${id}@${worker}`);

function checkCycles(jobs: Map<string, Job>): void {
  const state = new Map<string, "visiting" | "done">();
  const visit = (id: string, trail: string[]): void => {
    if (state.get(id) === "done") return;
    if (state.get(id) === "visiting") throw new CyclicJobs([...trail.slice(trail.indexOf(id)), id]);
    state.set(id, "visiting");
    for (const need of jobs.get(id)?.needs ?? []) visit(need, [...trail, id]);
    state.set(id, "done");
  };
  for (const id of jobs.keys()) visit(id, []);
}

export const input: Job[] = [
  { id: "build", priority: 1, needs: ["fetch"], costMs: 30 },
  { id: "fetch", priority: 5, needs: [], costMs: 10 },
  { id: "lint", priority: 9, needs: ["fetch"], costMs: 5 },
  { id: "test", priority: 3, needs: ["build", "lint"], costMs: 50 },
  { id: "docs", priority: 0, needs: [], costMs: 5 },
  { id: "ship", priority: 9, needs: ["test", "docs"], costMs: 1 },
];

export default workflow("scheduler", async (list: Job[]) => {
  const jobs = new Map(list.map((job) => [job.id, job]));
  checkCycles(jobs);
  const waiting = new Set(jobs.keys());
  const finished = new Map<string, string>();
  const failed = new Set<string>();
  const started: string[] = [];
  let wake: () => void = () => {};

  const pick = (): Job | undefined => {
    const ready = [...waiting]
      .map((id) => jobs.get(id)!)
      .filter(({ needs }) => needs.every((need) => finished.has(need)));
    return ready.sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1))[0];
  };
  const drop = (id: string): void => {
    for (const job of jobs.values()) {
      if (!job.needs.includes(id) || !waiting.delete(job.id)) continue;
      failed.add(job.id);
      drop(job.id);
    }
  };
  const worker = async (number: number): Promise<number> => {
    let count = 0;
    while (waiting.size > 0) {
      const job = pick();
      if (job === undefined) {
        await Promise.race([sleep(1000), new Promise<void>((resolve) => (wake = resolve))]);
        continue;
      }
      waiting.delete(job.id);
      started.push(job.id);
      try {
        finished.set(job.id, await execute(job.id, number));
        count++;
      } catch {
        failed.add(job.id);
        drop(job.id);
      } finally {
        wake();
      }
    }
    return count;
  };
  const counts = await Promise.all([1, 2].map(worker));
  let cycle: unknown = null;
  try {
    checkCycles(
      new Map([
        ["a", { ...list[0]!, needs: ["b"] }],
        ["b", { ...list[0]!, needs: ["c"] }],
        ["c", { ...list[0]!, needs: ["b"] }],
      ]),
    );
  } catch (error) {
    cycle = error;
  }
  return {
    started,
    finished: Object.fromEntries(finished),
    failed: [...failed].sort(),
    total: counts.reduce((a, b) => a + b, 0),
    cycle,
  };
});
