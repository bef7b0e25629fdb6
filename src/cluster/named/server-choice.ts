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
export function serverArguments(choice: ServerChoice): string[] {
  const { admission, authentication, authorization } = choice;
  const versions = Object.entries(choice.runtimeConfig ?? {}).map(([key, enabled]) => `${key}=${enabled}`);
  const lists: readonly (readonly [flag: string, values: readonly string[] | undefined])[] = [
    ["controllers", choice.controllers],
    ["enable-admission-plugins", admission?.enable],
    ["disable-admission-plugins", admission?.disable],
    ["authorization-mode", authorization?.modes],
    ["runtime-config", versions.length === 0 ? undefined : versions],
  ];
  const texts: readonly (readonly [flag: string, value: string | undefined])[] = [
    ["storage-media-type", choice.storageMediaType],
    ["max-object-bytes", choice.maxObjectBytes?.toString()],
    ["admission-control-config-file", admission?.configurationFile],
    ["authentication-config", authentication?.configFile],
    ["token-auth-file", authentication?.tokenFile],
    ["authorization-config", authorization?.configFile],
    ["load-balancer-addresses", choice.loadBalancerAddresses],
    ["images", choice.standIn === undefined ? undefined : choice.standIn ? "stand-in" : "strict"],
    ["image-scripts", choice.imageScripts],
    ["server-name", choice.serverName],
    ["leader-elect", choice.leaderElect?.toString()],
    ["scheduler", choice.scheduler?.toString()],
    ["nodes", choice.nodes?.toString()],
  ];
  return [
    ...lists.flatMap(([flag, values]) => (values === undefined ? [] : [`--${flag}=${values.join(",")}`])),
    ...texts.flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}=${value}`])),
    ...(choice.forward ?? []).map(({ namespace, pods, port, to }) => {
      const whose = namespace === undefined ? pods : `${namespace}/${pods}`;
      return `--forward=${whose}:${port}=${to}`;
    }),
    ...(choice.allowForward ?? []).map((address) => `--allow-forward=${address}`),
  ];
}
