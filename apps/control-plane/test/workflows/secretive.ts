import { action, currentCall, depends, secret, workflow } from "cairnjs";

/** What handlers were given, by the run; for the test alone. */
export const seen = new Map<string, unknown>();

export const signIn = action(
  "secretive.sign-in.v1",
  { needs: { password: secret("smtp-password") } },
  async (user: string, { password }) => {
    seen.set(currentCall().runId, password);
    return `${user}, ${password.length} letters`;
  },
);

async function openMailer({
  password,
  token,
}: {
  readonly password: string;
  readonly token: string;
}): Promise<string[]> {
  return [password, token];
}

const mailer = depends(openMailer, { needs: { password: secret("smtp-password"), token: secret("api.token") } });

/** Tells its secrets to whoever listens, as libraries do when they fail. */
const spill = action(
  "secretive.spill.v1",
  { needs: { mailer }, retry: { attempts: 1 } },
  async (_input: string, { mailer: [password = "", token = ""] }) => {
    const { log } = currentCall();
    log.info(`signing in with ${password}`, { headers: { authorization: `Bearer ${token}` }, [password]: 1 });
    log.error("refused", Object.assign(new Error(`535 ${password} is wrong`), { request: { token } }));
    const cause = new Error(`token=${encodeURIComponent(token)}`);
    throw Object.assign(new TypeError(`cannot sign in with ${password}`, { cause }), {
      header: Buffer.from(token).toString("base64"),
    });
  },
);

export const wants = action(
  "secretive.wants.v1",
  { needs: { missing: secret("nobody-has-set-it") }, retry: { attempts: 3, baseMs: 1 } },
  async (_input: string, { missing }) => missing,
);

export const signingIn = workflow("secretive.signing-in.v1", async (user: string) => signIn(user));

export const spilling = workflow("secretive.spilling.v1", async (user: string) => {
  try {
    return await spill(user);
  } catch (error) {
    throw new Error("could not sign in", { cause: error });
  }
});
