import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { type Forward, ForwardSyntaxError, parseForward, parseRange } from "../../base/forward.js";

/** --forward and --allow-forward: ports of pods that lead to programs of this machine. */
export const forwardFlags: readonly FlagSpec[] = [
  {
    name: "forward",
    type: "stringArray",
    usage:
      "A port of pods that leads to a program of this machine, for this start, as [NAMESPACE/]KIND/NAME:PORT=HOST:PORT, such as deploy/web:80=127.0.0.1:3000. Services, port-forward, proxies, webhooks and probes reach the program. May be given several times.",
  },
  {
    name: "allow-forward",
    type: "stringArray",
    usage:
      "An address of this machine that a pod's annotation kubets.dev/forward (PORT=HOST:PORT) may lead its ports to, for this start, such as 127.0.0.1:3000 or 127.0.0.1:3000-3999. May be given several times. Default: none.",
  },
];

/** Throws a usage error for what is no forward and no address. */
export function forwardsOf(invocation: Invocation): {
  readonly forward?: readonly Forward[];
  readonly allowForward?: readonly string[];
} {
  const [given, allowed] = ["forward", "allow-forward"].map((name) => invocation.flags.strings(name));
  const read = <T>(flag: string, texts: readonly string[], parse: (text: string) => T): readonly T[] =>
    texts.map((text) => {
      try {
        return parse(text);
      } catch (error) {
        if (error instanceof ForwardSyntaxError) throw usageError(invocation, `invalid --${flag}: ${error.message}`);
        throw error;
      }
    });
  const forward = read("forward", given ?? [], parseForward);
  const allowForward = read("allow-forward", allowed ?? [], (text) => (parseRange(text), text));
  return { ...(forward.length > 0 && { forward }), ...(allowForward.length > 0 && { allowForward }) };
}
