import type { RestClient } from "../client/rest/rest-client.js";
import { isConflict } from "../machinery/errors/status-error.js";
import { number, object as fieldsOf } from "../machinery/meta/access.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { encodeJson } from "../machinery/wire/json/json-encoder.js";
import type { Info } from "../resource/info.js";
import { poll } from "./wait/poll.js";
import { resourcePath } from "../client/dynamic/resource-path.js";

/** The preconditions under which an object is scaled. */
export interface ScalePrecondition {
  /** Undefined: any. */
  readonly replicas?: number | undefined;
  /** "": any. */
  readonly resourceVersion: string;
}

export interface ScaleOptions {
  readonly client: RestClient;
  readonly replicas: number;
  /** Absent: scaled whatever it is, in one request. */
  readonly precondition?: ScalePrecondition | undefined;
  readonly dryRun: boolean;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const INTERVAL = 1000;
/** How long conflicts are tried again, in milliseconds. */
const PATIENCE = 300_000;

/** Sets the size by the scale subresource, and resolves with the size that the server accepted. Throws where a precondition fails. */
export async function scaleObject(info: Info, options: ScaleOptions): Promise<number> {
  let size = 0;
  const scaled = async (): Promise<boolean> => {
    try {
      size = specReplicas(await scaleOnce(info, options));
      return true;
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
  };
  const done = await poll(scaled, { interval: INTERVAL, timeout: PATIENCE, sleep: options.sleep });
  if (!done) throw new Error("context deadline exceeded");
  return size;
}

/** Resolves when the object has as many replicas as it should, or another client has changed the number. `timeout` is in milliseconds. */
export async function waitForReplicas(
  info: Info,
  { client, replicas, sleep }: ScaleOptions,
  timeout: number,
): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const scale = await getScale(info, client);
    const wanted = specReplicas(scale);
    return wanted !== replicas || number(fieldsOf(scale["status"])["replicas"]) === wanted;
  };
  const there = await poll(isThere, { interval: INTERVAL, timeout, sleep });
  if (!there) throw new Error(`timed out waiting for "${info.name}" to be synced`);
}

async function scaleOnce(info: Info, options: ScaleOptions): Promise<KubeObject> {
  const { client, precondition, replicas, dryRun } = options;
  const query = dryRun ? { dryRun: "All" } : {};
  const path = scalePath(info);
  if (precondition === undefined) {
    const body = encode({ spec: { replicas } });
    const answer = await client.request({
      method: "PATCH",
      path,
      query,
      body,
      contentType: "application/merge-patch+json",
      sentBy: "scale",
    });
    return answer.json();
  }
  const scale = await getScale(info, client);
  requireState(scale, precondition);
  const body = await encodeScale({ ...scale, spec: { ...fieldsOf(scale["spec"]), replicas } });
  return (await client.request({ method: "PUT", path, query, body, contentType: "", sentBy: "scale" })).json();
}

async function getScale(info: Info, client: RestClient): Promise<KubeObject> {
  return (await client.request({ method: "GET", path: scalePath(info), sentBy: "scale" })).json();
}

function requireState(scale: KubeObject, { replicas, resourceVersion }: ScalePrecondition): void {
  const found = specReplicas(scale);
  if (replicas !== undefined && found !== replicas) {
    throw new Error(`Expected replicas to be ${replicas}, was ${found}`);
  }
  const version = scale.metadata?.resourceVersion ?? "";
  if (resourceVersion !== "" && version !== resourceVersion) {
    throw new Error(`Expected resource version to be ${resourceVersion}, was ${version}`);
  }
}

/** In the order of the Go type, which it is sent from. */
async function encodeScale(scale: KubeObject): Promise<Uint8Array> {
  const { schemaFor } = await import("../api/facts/index.js");
  const { encodeObject } = await import("../machinery/wire/encode.js");
  const schema = schemaFor({ group: "autoscaling", version: "v1", kind: "Scale" });
  const bytes = schema === undefined ? encode(scale) : encodeObject(scale, schema);
  return Uint8Array.of(...bytes, 0x0a);
}

const specReplicas = (scale: KubeObject): number => number(fieldsOf(scale["spec"])["replicas"]);

const scalePath = ({ mapping, namespace, name }: Info): string => resourcePath(mapping, namespace, name, "scale");

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(encodeJson(value));
