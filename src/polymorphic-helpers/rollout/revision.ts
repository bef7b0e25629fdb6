import { goQuote } from "../../base/text/go-quote.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** The annotation in which the Deployment controller numbers the revisions of a Deployment and of its ReplicaSets. */
export const REVISION = "deployment.kubernetes.io/revision";

/** The revision in an object's annotation; 0 without one. Throws, in Go's words, where it is not a 64-bit number. */
export function revisionOf({ metadata }: KubeObject): bigint {
  const text = metadata?.annotations?.[REVISION];
  if (text === undefined) return 0n;
  const fault = (reason: string): Error => new Error(`strconv.ParseInt: parsing ${goQuote(text)}: ${reason}`);
  if (!/^[+-]?[0-9]+$/.test(text)) throw fault("invalid syntax");
  const value = BigInt(text.replace(/^\+/, ""));
  if (BigInt.asIntN(64, value) !== value) throw fault("value out of range");
  return value;
}
