import { shownOn } from "../../cli/terminal/terminal-output.js";
import { deliverOutput } from "../../cli/write-output.js";
import type { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { podLog, type PodLogRequest } from "../../actions/pod-log.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { Look, PaintedPart } from "../../printers/look.js";
import { isStatusError } from "../../machinery/errors/status-error.js";

export interface LogReadOptions {
  readonly client: RestClient;
  readonly follow: boolean;
  readonly ignoreErrors: boolean;
  /** Each line begins with the pod and the container. */
  readonly prefix: boolean;
  /** Milliseconds for attempts to follow a log that the server refuses. */
  readonly podTimeout: number;
  readonly look: Look;
  readonly out: Writable;
  readonly err: Writable;
  readonly signal: AbortSignal;
}

const POLL = 1000;
/** How many bytes of a line are looked at for what to colour; a longer line goes on without colours. */
const LOOKED_AT = 16 * 1024;

/** Copies the logs one after the other. It ends at the first that cannot be read, unless errors are ignored. */
export async function readInOrder(requests: readonly PodLogRequest[], options: LogReadOptions): Promise<void> {
  for (const request of requests) await readOne(request, options);
}

/** Copies all logs concurrently, as their lines arrive. */
export async function readTogether(requests: readonly PodLogRequest[], options: LogReadOptions): Promise<void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  try {
    await Promise.all(requests.map((request) => readOne(request, { ...options, signal })));
  } finally {
    stop.abort();
  }
}

async function readOne(request: PodLogRequest, options: LogReadOptions): Promise<void> {
  const { follow, ignoreErrors, podTimeout, out, err } = options;
  const end = AbortSignal.timeout(Math.min(podTimeout, 2 ** 31 - 1));
  for (;;) {
    try {
      return await copyLines(request, options);
    } catch (error) {
      if (!(error instanceof Error) || options.signal.aborted) throw error;
      if (ignoreErrors) {
        out.write(`error: ${error.message}\n`);
        return;
      }
      if (!follow) throw error;
      err.write(`${error.message}\n`);
      if (!isStatusError(error)) throw error;
    }
    // A container that does not run yet may do so soon.
    await pause(POLL, undefined, { signal: AbortSignal.any([end, options.signal]) }).catch(() => undefined);
    if (end.aborted) throw new Error("context deadline exceeded");
  }
}

/** Whole lines only, so that lines of several logs do not mix. */
async function copyLines(request: PodLogRequest, options: LogReadOptions): Promise<void> {
  const { client, prefix, out, signal } = options;
  const head = Buffer.from(prefix ? shownOn(out, `${source(request, options)} `) : "");
  const coloured = lineColours(options);
  let held: Uint8Array[] = [];
  try {
    for await (const chunk of podLog(client, request, signal)) {
      let from = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
        await deliverOutput(out, Buffer.concat([head, ...coloured([...held, chunk.subarray(from, end + 1)])]));
        held = [];
        from = end + 1;
      }
      if (from < chunk.length) held.push(chunk.slice(from));
    }
  } finally {
    // The beginning of a line that broke off is shown too.
    if (held.length > 0) await deliverOutput(out, Buffer.concat([head, ...coloured(held)]));
  }
}

/** Puts colours into a line, which is bytes of any encoding. Nothing else of it changes. */
function lineColours({ look: { paint }, out }: LogReadOptions): (line: readonly Uint8Array[]) => readonly Uint8Array[] {
  if (paint === undefined) return (line) => line;
  const known = new Map<PaintedPart["paint"], readonly Buffer[]>();
  const codesOf = (part: PaintedPart): readonly Buffer[] => {
    const codes =
      known.get(part.paint) ??
      shownOn(out, part.paint("|"))
        .split("|")
        .map((code) => Buffer.from(code));
    known.set(part.paint, codes);
    return codes;
  };
  return (pieces) => {
    const line = Buffer.concat(pieces);
    const shown: Uint8Array[] = [];
    let from = 0;
    for (const part of paint.log(line.toString("latin1", 0, LOOKED_AT))) {
      const [begin = EMPTY, end = EMPTY] = codesOf(part);
      shown.push(line.subarray(from, part.start), begin, line.subarray(part.start, part.end), end);
      from = part.end;
    }
    shown.push(line.subarray(from));
    return shown;
  };
}

const EMPTY = Buffer.alloc(0);

const source = ({ pod, options }: PodLogRequest, { look: { paint } }: LogReadOptions): string => {
  const text = `[pod/${pod}/${options.container ?? ""}]`;
  return paint?.source(pod, text) ?? text;
};
