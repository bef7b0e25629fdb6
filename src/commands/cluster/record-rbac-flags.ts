import { resolve } from "node:path";
import type { Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { usageError } from "../../cli/errors.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** The flags of `cluster run` that record the rights which a user's requests ask for. */
export const recordRbacFlags: readonly FlagSpec[] = [
  {
    name: "record-rbac",
    type: "string",
    default: "",
    usage:
      "Write the smallest ClusterRole and Roles that allow what the command was seen to ask the server for to this file, in YAML, when the command has ended: what was seen, which may be less than what is needed.",
  },
  {
    name: "record-rbac-user",
    type: "string",
    default: "",
    usage:
      "Whose requests --record-rbac records: a user's name, or a service account as NAMESPACE/NAME or system:serviceaccount:NAMESPACE:NAME. Default: the administrator, who the command is by its KUBECONFIG.",
  },
];

export interface RbacRecording {
  /** An absolute path. */
  readonly file: string;
  readonly user?: string;
}

/** Undefined without --record-rbac. Warns about a user that has no effect. Throws a usage error for an empty one. */
export function recordRbacOf(
  { cwd }: Factory,
  invocation: Invocation,
  warn: (text: string) => void,
): RbacRecording | undefined {
  const { flags } = invocation;
  const [file, user] = [flags.string("record-rbac"), flags.string("record-rbac-user")];
  if (file === "") {
    if (flags.changed("record-rbac")) throw usageError(invocation, "--record-rbac needs the name of a file to write");
    if (flags.changed("record-rbac-user")) warn("--record-rbac-user has no effect without --record-rbac");
    return undefined;
  }
  if (user === "" && flags.changed("record-rbac-user")) {
    throw usageError(invocation, "--record-rbac-user needs the name of a user, or NAMESPACE/NAME of a service account");
  }
  return { file: resolve(cwd, file), ...(user !== "" && { user }) };
}
