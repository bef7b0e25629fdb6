import { dictionary } from "./collections/dictionary.js";

/** A rule by which a port of pods leads to a program of this machine. */
export interface Forward {
  /** Default: "default". */
  readonly namespace?: string;
  /**
   * The pod, or the owner of the pods: "deployment/web", "statefulset/db", "daemonset/agent", "replicaset/web-5d8f", "job/load", "pod/web";
   * kubectl's short names too.
   */
  readonly pods: string;
  /** The number of the pods' port. */
  readonly port: number;
  /** The address at which the program listens: "127.0.0.1:3000". */
  readonly to: string;
}

/** Addresses of this machine that pods may name themselves: "127.0.0.1:3000", "127.0.0.1:3000-3999". */
export type AllowedForward = string;

/** The text of a forward, or of an allowed address, has an error. */
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
const KINDS: Readonly<Record<string, string>> = dictionary({
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
});

const LAST_PORT = 65_535;

/** Parses "deploy/web:80=127.0.0.1:3000", or "shop/deploy/web:80=127.0.0.1:3000" with a namespace. Throws a {@link ForwardSyntaxError}. */
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

/** Throws a {@link ForwardSyntaxError} for a forward with an invalid field. */
export function checkForward({ pods, port, to }: Forward): void {
  ownerOf(pods);
  if (!Number.isInteger(port) || port < 1 || port > LAST_PORT)
    throw new ForwardSyntaxError(`port ${port} of the forward of ${pods} is not between 1 and ${LAST_PORT}`);
  parseAddress(to);
}

/** Returns the kind and the name that "deploy/web" means. Throws a {@link ForwardSyntaxError}. */
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

/** Parses "127.0.0.1:3000", "[::1]:3000" or "localhost:3000". Throws a {@link ForwardSyntaxError}. */
export function parseAddress(text: string): Address {
  const { host, first, last } = parseRange(text);
  if (first !== last) throw new ForwardSyntaxError(`${JSON.stringify(text)} is not an address: use HOST:PORT`);
  return { host, port: first };
}

/** Parses an address, or a range of ports as "127.0.0.1:3000-3999". Throws a {@link ForwardSyntaxError}. */
export function parseRange(text: string): AddressRange {
  const [, host = "", first = "", last = first] = /^\[?([^[\]/@ ]+?)\]?:(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const range = { host, first: Number(first), last: Number(last) };
  if (host === "" || range.first < 1 || range.last > LAST_PORT || range.first > range.last)
    throw new ForwardSyntaxError(
      `${JSON.stringify(text)} is not an address: use HOST:PORT, or HOST:PORT-PORT for several`,
    );
  return range;
}
