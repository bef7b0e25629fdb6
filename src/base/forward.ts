/** Leads a port of pods to a program of this machine. */
export interface Forward {
  /** Default: "default". */
  readonly namespace?: string;
  /** Whose pods: "deployment/web", "statefulset/db", "daemonset/agent", "replicaset/web-5d8f", "job/load", "pod/web"; kubectl's short names too. */
  readonly pods: string;
  /** Of the pods, in numbers. */
  readonly port: number;
  /** Where the program listens: "127.0.0.1:3000". */
  readonly to: string;
}

/** Addresses of this machine that pods may name themselves: "127.0.0.1:3000", "127.0.0.1:3000-3999". */
export type AllowedForward = string;

/** What is wrong with the text of a forward or of an allowed one. */
export class ForwardSyntaxError extends Error {
  override readonly name = "ForwardSyntaxError";
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface AddressRange {
  readonly host: string;
  readonly first: number;
  readonly last: number;
}

/** Kinds whose pods can be named, by kubectl's names. */
const KINDS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  daemonset: "DaemonSet",
  daemonsets: "DaemonSet",
  ds: "DaemonSet",
  deploy: "Deployment",
  deployment: "Deployment",
  deployments: "Deployment",
  job: "Job",
  jobs: "Job",
  po: "Pod",
  pod: "Pod",
  pods: "Pod",
  replicaset: "ReplicaSet",
  replicasets: "ReplicaSet",
  rs: "ReplicaSet",
  statefulset: "StatefulSet",
  statefulsets: "StatefulSet",
  sts: "StatefulSet",
};

const LAST_PORT = 65_535;

/** "deploy/web:80=127.0.0.1:3000", with the namespace before it: "shop/deploy/web:80=127.0.0.1:3000". Throws a {@link ForwardSyntaxError}. */
export function parseForward(text: string): Forward {
  const [, namespace, kind = "", name = "", port = "", to = ""] =
    /^(?:([^/:=]+)\/)?([^/:=]+)\/([^/:=]+):(\d+)=(.+)$/.exec(text) ?? [];
  if (name === "") {
    throw new ForwardSyntaxError(
      `${JSON.stringify(text)} is not a forward: use [NAMESPACE/]KIND/NAME:PORT=HOST:PORT, such as deploy/web:80=127.0.0.1:3000`,
    );
  }
  const forward = { ...(namespace !== undefined && { namespace }), pods: `${kind}/${name}`, port: Number(port), to };
  checkForward(forward);
  return forward;
}

/** Throws a {@link ForwardSyntaxError} that names what is wrong. */
export function checkForward({ pods, port, to }: Forward): void {
  ownerOf(pods);
  if (!Number.isInteger(port) || port < 1 || port > LAST_PORT)
    throw new ForwardSyntaxError(`port ${port} of the forward of ${pods} is not between 1 and ${LAST_PORT}`);
  parseAddress(to);
}

/** The kind and the name that "deploy/web" means. Throws a {@link ForwardSyntaxError}. */
export function ownerOf(pods: string): { readonly kind: string; readonly name: string } {
  const [short = "", name = ""] = pods.split("/");
  const kind = KINDS[short.toLowerCase()];
  if (kind === undefined || name === "") {
    throw new ForwardSyntaxError(
      `${JSON.stringify(pods)} names no pods: use pod, deployment, statefulset, daemonset, replicaset or job, and a name`,
    );
  }
  return { kind, name };
}

/** "127.0.0.1:3000", "[::1]:3000", "localhost:3000". Throws a {@link ForwardSyntaxError}. */
export function parseAddress(text: string): Address {
  const { host, first, last } = parseRange(text);
  if (first !== last) throw new ForwardSyntaxError(`${JSON.stringify(text)} is not an address: use HOST:PORT`);
  return { host, port: first };
}

/** An address, or "127.0.0.1:3000-3999". Throws a {@link ForwardSyntaxError}. */
export function parseRange(text: string): AddressRange {
  const [, host = "", first = "", last = first] = /^\[?([^[\]/@ ]+?)\]?:(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const range = { host, first: Number(first), last: Number(last) };
  if (host === "" || range.first < 1 || range.last > LAST_PORT || range.first > range.last)
    throw new ForwardSyntaxError(
      `${JSON.stringify(text)} is not an address: use HOST:PORT, or HOST:PORT-PORT for several`,
    );
  return range;
}
