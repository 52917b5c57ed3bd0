import { builtins } from "@cairnjs/ir";
import * as fc from "fast-check";
import { reductions } from "../reduce/reductions.ts";
import { Random } from "../run/random.ts";
import { generateModule } from "./module.ts";
import { isProbed, probeOf } from "./probe.ts";
import { probeBody } from "./probe-body.ts";

/** A body and the seed of its schedules. */
export interface Body {
  readonly source: string;
  readonly seed: number;
  /** With restores, the delta of every instruction is compared; see `restoring`. */
  readonly everyDelta?: boolean;
}

const probed = builtins.filter(isProbed);
const PROBES_PER_BODY = 8;

/** Bodies of the generator, and now and then one that uses random built-ins. */
function randomBody(seed: number): Body {
  const random = new Random(seed);
  if (random.chance(0.25)) {
    const probes = Array.from({ length: PROBES_PER_BODY }, () => probeOf(random.pick(probed), random));
    return { source: probeBody(probes), seed };
  }
  return { source: generateModule({ seed: random.next(), size: random.pick([20, 40, 80]) }), seed };
}

/** How far a body has shrunk: reductions that saved more than this were tried on its parent already. */
interface Shrunk {
  readonly saved: number;
}

/** Random bodies for fast-check, which shrinks a failing one by reducing its syntax tree. */
export class BodyArbitrary extends fc.Arbitrary<Body> {
  generate(random: fc.Random): fc.Value<Body> {
    return new fc.Value(randomBody(random.nextInt()), undefined);
  }

  canShrinkWithoutContext(value: unknown): value is Body {
    return typeof value === "object" && value !== null && "source" in value;
  }

  shrink(body: Body, context?: unknown): fc.Stream<fc.Value<Body>> {
    const limit = (context as Shrunk | undefined)?.saved ?? Number.POSITIVE_INFINITY;
    const all = reductions(body.source);
    const ordered = [...all.filter(({ saved }) => saved <= limit), ...all.filter(({ saved }) => saved > limit)];
    const values = ordered.map(({ source, saved }) => new fc.Value({ ...body, source }, { saved } satisfies Shrunk));
    return fc.stream(values.values());
  }
}

/** One given body, to be shrunk. */
export class FixedBody extends BodyArbitrary {
  readonly #body: Body;

  constructor(body: Body) {
    super();
    this.#body = body;
  }

  override generate(): fc.Value<Body> {
    return new fc.Value(this.#body, undefined);
  }
}
