/**
 * The functions of `Math` that ECMA-262 leaves to the implementation, bit for bit as V8 11.3 (Node 20) computes
 * them, so that a run continues on another host with the same numbers. They follow fdlibm, as V8 does.
 * Where an order of operations looks arbitrary, it decides the last bit.
 *
 * The algorithms and constants of fdlibm are Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
 * Developed at SunSoft, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and distribute this
 * software is freely granted, provided that this notice is preserved.
 */
export { exp, expm1 } from "./exponential.ts";
export { acosh, asinh, atanh, cosh, sinh, tanh } from "./hyperbolic.ts";
export { acos, asin, atan, atan2 } from "./inverse-trig.ts";
export { log, log10, log1p, log2 } from "./logarithm.ts";
export { pow } from "./power.ts";
export { cbrt, hypot } from "./root.ts";
export { cos, sin, tan } from "./trig.ts";
