import { serverOptionTable } from "../../component/apiserver-flags/server-options.js";
import { argumentsOf } from "../../component/option-group.js";
import type { ClusterOptions } from "../index.js";

/** The settings of a cluster's server for one start, without its nodes: the options of `startCluster` that have flags. Files are absolute. */
export interface ServerChoice
  extends Pick<
    ClusterOptions,
    | "admission"
    | "allowForward"
    | "authentication"
    | "authorization"
    | "emulation"
    | "forward"
    | "kubernetesVersion"
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

/** The flags that pass the choice to another process of this program. */
export const serverArguments = (choice: ServerChoice): string[] => [
  ...argumentsOf(serverOptionTable, choice),
  ...(Object.keys(ARGUMENTS) as (keyof Arguments)[]).flatMap((part) => ownArguments(choice, part)),
];

function ownArguments<Part extends OwnPart>(choice: Partial<OwnChoice>, part: Part): readonly string[] {
  const value = choice[part];
  return value === undefined ? [] : ARGUMENTS[part](value);
}

/** Parts that kube-apiserver has flags for, as every server has them. */
type ServerPart = keyof typeof serverOptionTable;

type OwnPart = Exclude<keyof ServerChoice, ServerPart>;
type OwnChoice = { [Part in OwnPart]-?: NonNullable<ServerChoice[Part]> };

/** Writes one part of a choice that kube-apiserver has no flag for. */
type Arguments = { readonly [Part in OwnPart]: (value: OwnChoice[Part]) => readonly string[] };

type Value = string | number | boolean | undefined;

/** Nothing for a value that the choice does not have. */
const own = (name: string, value: Value): readonly string[] =>
  value === undefined ? [] : [`--${name}=${String(value)}`];

const ARGUMENTS: Arguments = {
  controllers: (names) => own("controllers", names.join(",")),
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
