import { resolve } from "node:path";
import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { authorizationSection } from "../../component/apiserver-flags/authorization.js";
import { flagOf } from "../../component/apiserver-flags/flag-of.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** How the cluster decides what users may do. Files are absolute. */
export interface AuthorizationChoice {
  readonly modes?: readonly AuthorizationModeName[];
  readonly configFile?: string;
}

/** The modes that need no file beside them. */
const MODES = ["Node", "RBAC", "AlwaysAllow", "AlwaysDeny"] as const;

type AuthorizationModeName = (typeof MODES)[number];

/** --authorization-mode and --authorization-config, as kube-apiserver has them. */
export const authorizationFlags: readonly FlagSpec[] = [
  flagOf(authorizationSection, "authorization-mode", {
    usage: `Who may do what, for this start: a list of ${MODES.join(", ")}, asked in that order. The administrator may do everything.`,
  }),
  flagOf(authorizationSection, "authorization-config"),
];

/** Undefined when no flag is given. Throws a usage error for what cannot be right. */
export function authorizationOf({ cwd }: Factory, invocation: Invocation): AuthorizationChoice | undefined {
  const { flags } = invocation;
  const file = flags.string("authorization-config");
  const given = flags.changed("authorization-mode");
  if (file !== "") {
    if (!given) return { configFile: resolve(cwd, file) };
    throw usageError(invocation, "--authorization-config and --authorization-mode cannot be given together");
  }
  if (!given) return undefined;
  const modes = flags.strings("authorization-mode").map((mode) => {
    const known = MODES.find((one) => one === mode);
    if (known !== undefined) return known;
    const message = `invalid --authorization-mode ${JSON.stringify(mode)}: use ${MODES.join(", ")}, or give a webhook in --authorization-config`;
    throw usageError(invocation, message);
  });
  if (modes.length === 0)
    throw usageError(invocation, `--authorization-mode needs at least one of ${MODES.join(", ")}`);
  if (new Set(modes).size < modes.length) {
    throw usageError(
      invocation,
      `--authorization-mode=${modes.join(",")} names a mode more than once; name each mode once`,
    );
  }
  return { modes };
}
