import type { ApiserverFlagName } from "../../component/apiserver-flags/sections.js";
import type { ClusterOptions } from "../index.js";

/** How the server of a cluster runs, for one start but for its nodes: the options of `startCluster` that flags can say. Files are absolute. */
export interface ServerChoice
  extends Pick<
    ClusterOptions,
    | "admission"
    | "allowForward"
    | "authentication"
    | "authorization"
    | "forward"
    | "loadBalancerAddresses"
    | "maxObjectBytes"
    | "runtimeConfig"
    | "serverName"
    | "standIn"
    | "storageMediaType"
  > {
  readonly controllers?: readonly string[];
  readonly leaderElect?: boolean;
  readonly scheduler?: false;
  /** The file of a table of scripts. */
  readonly imageScripts?: string;
  /** Undefined: as many as the cluster had, one of a new one. */
  readonly nodes?: number;
}

/** Whether the server reads files again while it runs, and may find a fault in one. */
export const followsFiles = ({ authentication, authorization }: ServerChoice): boolean =>
  authentication?.configFile !== undefined || authorization?.configFile !== undefined;

/** The flags that say the choice to another process of this program. */
export const serverArguments = (choice: ServerChoice): string[] =>
  (Object.keys(ARGUMENTS) as (keyof ServerChoice)[]).flatMap((part) => argumentsOf(choice, part));

function argumentsOf<Part extends keyof ServerChoice>(choice: ServerChoice, part: Part): readonly string[] {
  const value = choice[part];
  const write: (given: never) => readonly string[] = ARGUMENTS[part];
  return value === undefined ? [] : write(value as never);
}

/** Writes one part of a choice as flags. */
type Arguments = {
  readonly [Part in keyof ServerChoice]-?: (value: NonNullable<ServerChoice[Part]>) => readonly string[];
};

type Value = string | number | boolean | undefined;

/** A flag of kube-apiserver, by its name there. */
const kube = (name: ApiserverFlagName, value: Value): readonly string[] => own(name, value);

/** Nothing for a value that the choice does not have. */
const own = (name: string, value: Value): readonly string[] =>
  value === undefined ? [] : [`--${name}=${String(value)}`];

const ARGUMENTS: Arguments = {
  controllers: (names) => own("controllers", names.join(",")),
  runtimeConfig(versions) {
    const entries = Object.entries(versions).map(([key, enabled]) => `${key}=${enabled}`);
    return entries.length === 0 ? [] : kube("runtime-config", entries.join(","));
  },
  storageMediaType: (form) => kube("storage-media-type", form),
  maxObjectBytes: (bytes) => kube("max-object-bytes", bytes),
  admission: ({ enable, disable, configurationFile }) => [
    ...kube("enable-admission-plugins", enable?.join(",")),
    ...kube("disable-admission-plugins", disable?.join(",")),
    ...kube("admission-control-config-file", configurationFile),
  ],
  authentication: ({ configFile, tokenFile }) => [
    ...kube("authentication-config", configFile),
    ...kube("token-auth-file", tokenFile),
  ],
  authorization: ({ modes, configFile }) => [
    ...kube("authorization-mode", modes?.join(",")),
    ...kube("authorization-config", configFile),
  ],
  loadBalancerAddresses: (block) => own("load-balancer-addresses", block),
  standIn: (standsIn) => own("images", standsIn ? "stand-in" : "strict"),
  imageScripts: (file) => own("image-scripts", file),
  serverName: (name) => own("server-name", name),
  leaderElect: (elects) => own("leader-elect", elects),
  scheduler: (runs) => own("scheduler", runs),
  nodes: (count) => own("nodes", count),
  forward: (forwards) =>
    forwards.flatMap(({ namespace, pods, port, to }) => {
      const whose = namespace === undefined ? pods : `${namespace}/${pods}`;
      return own("forward", `${whose}:${port}=${to}`);
    }),
  allowForward: (addresses) => addresses.flatMap((address) => own("allow-forward", address)),
};
