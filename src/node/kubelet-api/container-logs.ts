import type { PodLogOptions, Pod } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { type FieldsOf, absent, object, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { ContainerRuntime, LogEntry } from "../container-runtime.js";
import { HttpError } from "./http-error.js";
import { containerStatus, withoutScheme } from "./node-pods.js";

/** The options of a request for a log. */
export interface LogQuery {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly limitBytes?: number;
  readonly stream?: "stdout" | "stderr";
}

/** Reads the query of /containerLogs. Throws a 400 or 422. */
export function logQuery({ searchParams }: URL, clock: Clock): LogQuery {
  const flag = (name: string): boolean =>
    ["true", "1", "True", "TRUE", "t", "T", ""].includes(searchParams.get(name) ?? "false");
  const number = (name: string, least: number): number | undefined => {
    const value = searchParams.get(name);
    if (value === null || value === "") return undefined;
    if (!/^-?\d+$/.test(value)) throw new HttpError(400, '{"message": "Unable to decode query."}');
    if (Number(value) < least) throw new HttpError(422, '{"message": "Invalid request."}');
    return Number(value);
  };
  const sinceSeconds = number("sinceSeconds", 1);
  const sinceTime = searchParams.get("sinceTime");
  if (sinceTime !== null && Number.isNaN(Date.parse(sinceTime)))
    throw new HttpError(400, '{"message": "Unable to decode query."}');
  if (sinceTime !== null && sinceSeconds !== undefined) throw new HttpError(422, '{"message": "Invalid request."}');
  const since = sinceTime === null ? sinceSeconds && clock.now() - sinceSeconds * 1000 : Date.parse(sinceTime);
  const tailLines = number("tailLines", 0);
  const limitBytes = number("limitBytes", 1);
  const stream = searchParams.get("stream")?.toLowerCase();
  if (stream !== undefined && !["all", "stdout", "stderr", ""].includes(stream))
    throw new HttpError(422, '{"message": "Invalid request."}');
  return {
    follow: flag("follow"),
    previous: flag("previous"),
    timestamps: flag("timestamps"),
    ...(tailLines !== undefined && ({ tailLines } satisfies FieldsOf<PodLogOptions>)),
    ...(since !== undefined && { since }),
    ...(limitBytes !== undefined && ({ limitBytes } satisfies FieldsOf<PodLogOptions>)),
    ...((stream === "stdout" || stream === "stderr") && ({ stream } satisfies Partial<LogQuery>)),
  };
}

/** Chooses by its state the container whose log is requested. Throws a 400 with a kubelet's message where there is none. */
export function loggedContainer(pod: ReceivedObject<Pod>, name: string, previous: boolean): string {
  const where = `container ${JSON.stringify(name)} in pod ${JSON.stringify(pod.metadata?.name ?? "")}`;
  const status = containerStatus(pod, name);
  if (status === undefined) throw new HttpError(400, `${where} is not available`);
  const state = object(status.state);
  const last = text(object(object(status.lastState).terminated).containerID);
  if (previous) {
    if (last !== "") return withoutScheme(last);
    throw new HttpError(400, `previous terminated ${where} not found`);
  }
  if (!absent(state.running)) return withoutScheme(text(status.containerID));
  if (!absent(state.terminated)) {
    const id = text(object(state.terminated).containerID) || last;
    if (id !== "") return withoutScheme(id);
    throw new HttpError(400, `${where} is terminated`);
  }
  if (last !== "") return withoutScheme(last);
  if (absent(state.waiting)) throw new HttpError(400, `${where} is waiting to start - no logs yet`);
  const reason = text(object(state.waiting).reason);
  if (reason === "ErrImagePull") throw new HttpError(400, `${where} is waiting to start: image can't be pulled`);
  if (reason === "ImagePullBackOff")
    throw new HttpError(400, `${where} is waiting to start: trying and failing to pull image`);
  throw new HttpError(400, `${where} is waiting to start: ${reason}`);
}

/** Reads a container's log as the query selects and formats it. */
export async function* containerLog(
  runtime: ContainerRuntime,
  containerId: string,
  { tailLines, since, follow, stream, timestamps, limitBytes }: LogQuery,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = limitBytes ?? Number.POSITIVE_INFINITY;
  const entries = runtime.log(containerId, {
    follow,
    signal,
    ...(tailLines !== undefined && ({ tailLines } satisfies FieldsOf<PodLogOptions>)),
    ...(since !== undefined && { since }),
    ...(stream !== undefined && { stream }),
  });
  for await (const entry of entries) {
    const line = timestamps ? Buffer.concat([Buffer.from(`${timeText(entry)} `), entry.line]) : entry.line;
    yield line.length > left ? line.subarray(0, left) : line;
    left -= line.length;
    if (left <= 0) return;
  }
}

/** "2026-01-02T15:04:05.000000000Z". */
function timeText({ time }: LogEntry): string {
  const seconds = new Date(Number(time / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(time % 1_000_000_000n).padStart(9, "0")}Z`;
}
