import type { Random } from "../../base/numbers/random.js";
import type { ReadonlyFields } from "../../machinery/meta/access.js";
import type { KeepFlags } from "./profiles.js";

/** What the command line says of the container and the pod to debug with. */
export interface DebugRequest {
  /** -c, or "". */
  readonly container: string;
  readonly image: string;
  /** What follows --. */
  readonly args: readonly string[];
  /** `args` are arguments of the image's own command. */
  readonly argumentsOnly: boolean;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly pullPolicy: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly profile: string;
  readonly keep: KeepFlags;
  /** Container fields of --custom. */
  readonly custom: ReadonlyFields | undefined;
}

/** A container without its name: empty fields are left out where the object is encoded. */
export function debugContainer(request: DebugRequest, name: string): Record<string, unknown> {
  const { image, env, pullPolicy, stdin, tty } = request;
  return {
    name,
    image,
    ...commandOf(request),
    ...(env.length > 0 && { env }),
    ...(pullPolicy !== "" && { imagePullPolicy: pullPolicy }),
    stdin,
    tty,
    terminationMessagePolicy: "File",
  };
}

function commandOf({ args, argumentsOnly }: DebugRequest): { args?: readonly string[]; command?: readonly string[] } {
  if (args.length === 0) return {};
  return argumentsOnly ? { args } : { command: args };
}

const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** Five letters of Kubernetes' generated names. */
export const randomSuffix = (random: Random): string =>
  [...random.bytes(5)].map((byte) => LETTERS[byte % LETTERS.length]).join("");

/** "debugger-x2zqk": a name that no container of the pod has. */
export function newContainerName(taken: ReadonlySet<string>, random: Random): string {
  for (;;) {
    const name = `debugger-${randomSuffix(random)}`;
    if (!taken.has(name)) return name;
  }
}
