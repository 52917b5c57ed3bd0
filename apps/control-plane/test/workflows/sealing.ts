import { action, currentCall, type Sealed, sealed, signal, workflow } from "cairnjs";

interface Parcel {
  readonly text: string;
  readonly inner?: Sealed<string>;
}

/** What handlers have read, for the test alone. */
export const read: string[] = [];

/** Reads at any depth, and gives back another one, at another depth. */
const unpack = action(
  "sealing.unpack.v1",
  async (parcels: { readonly list: readonly Sealed<Parcel>[]; readonly by: ReadonlyMap<string, Sealed<Parcel>> }) => {
    const all = [...parcels.list, ...parcels.by.values()].map(({ value }) => value);
    for (const { text, inner } of all) read.push(text, ...(inner === undefined ? [] : [inner.value]));
    currentCall().log.info("unpacked", { parcels: all.length, first: parcels.list[0] });
    return { again: sealed(all.map(({ text }) => text).join("|")), count: all.length };
  },
);

const refuse = action("sealing.refuse.v1", { retry: { attempts: 1 } }, async (parcel: Sealed<Parcel>) => {
  throw Object.assign(new Error("refused"), { parcel });
});

export const beat = action("sealing.beat.v1", { retry: { attempts: 1 } }, async (parcel: Sealed<Parcel>) => {
  currentCall().heartbeat(parcel);
});

const approval = signal<Sealed<string>>("approval");

export const passing = workflow("sealing.passing.v1", async ({ parcel }: { readonly parcel: Sealed<Parcel> }) => {
  const first = await unpack({ list: [parcel, parcel], by: new Map([["a", parcel]]) });
  const approved = await approval.wait();
  let refusal = "";
  try {
    await refuse(parcel);
  } catch (error) {
    refusal = (error as Error).message;
  }
  return { first, approved, refusal };
});

export const holding = workflow(
  "sealing.holding.v1",
  async ({ order }: { readonly order: string; readonly parcel: Sealed<Parcel> }) => {
    await approval.wait();
    return order;
  },
);
