import { action, type Sealed, sealed, secret, workflow } from "cairnjs";

export const confide = action(
  "sdk.confiding.confide",
  { needs: { key: secret("api-key") }, retry: { attempts: 1 } },
  async (name: string, { key }) => {
    if (name === "throw") throw new Error(`refused ${key}`);
    return `${name} with ${key.length} letters`;
  },
);

export const confiding = workflow("sdk.confiding", async (name: string) => confide(name));

const shout = action("sdk.confiding.shout", async (what: Sealed<string>) => sealed(what.value.toUpperCase()));

export const peeking = workflow(
  "sdk.peeking",
  async ({ what, peeks }: { readonly what: Sealed<string>; readonly peeks: boolean }) => {
    const shouted = await shout(what);
    return peeks ? shouted.value : shouted;
  },
);
