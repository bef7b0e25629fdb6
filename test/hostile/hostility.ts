import type { Dice } from "./dice.js";
import type { Target } from "./targets.js";

/** A request that nobody means well with, and what kube-apiserver answers it. */
export interface HostileRequest {
  readonly method: string;
  /** The request target as it goes over the wire. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Sent as it is on an HTTP/1.1 connection of its own, in two pieces, for what no client library lets pass. */
  readonly raw?: { readonly bytes: Uint8Array; readonly cut: number };
  /** The codes that are right. */
  readonly expected: readonly number[];
  /** The reason a Status must give, where one code has several. */
  readonly reason?: string;
}

/** One kind of hostility. */
export interface Hostility {
  readonly name: string;
  /** How often it comes, next to the others. */
  readonly share: number;
  make(dice: Dice, targets: readonly Target[]): HostileRequest;
}

/** What a mutated request may be answered: anything but a fault of the server. */
export const ANY_REFUSAL_OR_SUCCESS: readonly number[] = [
  200, 201, 202, 400, 403, 404, 405, 406, 409, 410, 413, 415, 422, 429,
];

export const JSON_TYPE = "application/json";
export const YAML_TYPE = "application/yaml";
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";
export const JSON_PATCH = "application/json-patch+json";
export const MERGE_PATCH = "application/merge-patch+json";
export const STRATEGIC_PATCH = "application/strategic-merge-patch+json";
export const APPLY_PATCH = "application/apply-patch+yaml";

export const typed = (type: string): Readonly<Record<string, string>> => ({ "content-type": type });
