import { resolve } from "node:path";
import type { Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { admissionOptions, admissionSection } from "../../component/apiserver-flags/admission.js";
import { apiEnablementSection } from "../../component/apiserver-flags/api-enablement.js";
import { authenticationOptions, authenticationSection } from "../../component/apiserver-flags/authentication.js";
import { authorizationSection } from "../../component/apiserver-flags/authorization.js";
import { flagOf } from "../../component/apiserver-flags/flag-of.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { readOptions } from "../../component/option-group.js";
import { usageError } from "../../cli/errors.js";
import { errorMessage } from "../../base/text/error-message.js";
import { readRuntimeConfig } from "../../component/flags/pairs.js";

type AdmissionOptions = NonNullable<import("../../cluster/index.js").ClusterOptions["admission"]>;

/** kube-apiserver's flags about admission. */
export const admissionFlags: readonly FlagSpec[] = admissionSection.flags;

/** The admission options that the flags set; undefined when none is given. */
export const admissionOf = ({ cwd }: Factory, { flags }: Invocation): AdmissionOptions | undefined =>
  given(readOptions(admissionOptions, flags, cwd));

/** Undefined for options of which none is given. */
const given = <Options extends object>(options: Options): Options | undefined =>
  Object.keys(options).length === 0 ? undefined : options;

type AuthenticationOptions = import("../../cluster/options/authentication-options.js").AuthenticationOptions;

/** The flags for users beside the administrator and service accounts, which are kube-apiserver's. */
export const authenticationFlags: readonly FlagSpec[] = [
  flagOf(authenticationSection, "authentication-config"),
  flagOf(authenticationSection, "token-auth-file"),
];

/** The authentication options that the flags set; undefined when none is given. */
export const authenticationOf = ({ cwd }: Factory, { flags }: Invocation): AuthenticationOptions | undefined =>
  given(readOptions(authenticationOptions, flags, cwd));

/** The authorization options that the flags set. Files are absolute. */
export interface AuthorizationChoice {
  readonly modes?: readonly AuthorizationModeName[];
  readonly configFile?: string;
}

/** The modes that need no file beside them. */
const MODES = ["Node", "RBAC", "AlwaysAllow", "AlwaysDeny"] as const;

type AuthorizationModeName = (typeof MODES)[number];

/** The flags --authorization-mode and --authorization-config, as kube-apiserver has them. */
export const authorizationFlags: readonly FlagSpec[] = [
  flagOf(authorizationSection, "authorization-mode", {
    usage: `Who may do what, for this start: a list of ${MODES.join(", ")}, asked in that order. The administrator may do everything.`,
  }),
  flagOf(authorizationSection, "authorization-config"),
];

/** Reads the authorization flags; undefined when none is given. Throws a usage error for an invalid combination. */
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

/** The flag --runtime-config, as kube-apiserver has it. */
export const runtimeConfigFlag = flagOf(apiEnablementSection, "runtime-config");

/** Parses --runtime-config: "group/version" or a class of versions, to on or off. Throws a usage error for an invalid entry. */
export function runtimeConfigOf(invocation: Invocation): Readonly<Record<string, boolean>> {
  try {
    return readRuntimeConfig(invocation.flags.strings("runtime-config"));
  } catch (error) {
    throw usageError(invocation, errorMessage(error));
  }
}

/** The flag --server-name: which of the servers on one etcd this one is. */
export const serverNameFlag: FlagSpec = {
  name: "server-name",
  type: "string",
  default: "",
  usage:
    "What this server is called among those that share an etcd; its nodes are NAME-node-1, NAME-node-2 and so on. Without it the name that its data folder holds, else one of host name and port.",
};

/** The value of --server-name; undefined when it is not given. The server rejects an invalid name. */
export function serverNameOf(invocation: Invocation): string | undefined {
  const name = invocation.flags.string("server-name");
  return name === "" ? undefined : name;
}

/** The flags --leader-elect, as kube-controller-manager and kube-scheduler have it, and --scheduler. */
export const electionFlags: readonly FlagSpec[] = [
  {
    name: "leader-elect",
    type: "bool",
    default: "true",
    usage:
      "Of the servers that share an etcd, let one at a time run the controllers, and one the scheduler, for this start. In memory and on disk there is one server and no election.",
  },
  {
    name: "scheduler",
    type: "bool",
    default: "true",
    usage: "Run the scheduler, for this start. Without it pods wait for one from elsewhere.",
  },
];

/** The options that {@link electionFlags} set; a flag that was not given sets none. */
export function electionOf({ flags }: Invocation): { readonly leaderElect?: boolean; readonly scheduler?: false } {
  return {
    ...(flags.changed("leader-elect") && { leaderElect: flags.bool("leader-elect") }),
    ...(!flags.bool("scheduler") && { scheduler: false as const }),
  };
}
