import { promisify } from "node:util";
import { getHeapSnapshot } from "node:v8";
import { gzip } from "node:zlib";
import { pause } from "../../base/time/pause.js";
import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import type { ApiRequest } from "../request/api-request.js";
import { respondBytes, respondHead, respondText } from "../request/respond.js";
import { encodeProfile, INTERVAL_MICROSECONDS } from "./pprof-profile.js";

/** Of the process, which the profiles are of. */
interface ProcessTime {
  readonly clock: Clock;
  readonly timers: Timers;
}

const ROOT = "/debug/pprof/";
const compress = promisify(gzip);
/** Go's default of a CPU profile, in seconds. */
const USUAL_SECONDS = 30;
/** Whether a profile is being taken: V8 takes one at a time. */
let isTaking = false;

/** Serves profiles: "profile" is of the CPU in pprof's format, "heap" a snapshot of the heap in V8's. */
export async function respondProfile(request: ApiRequest, time: ProcessTime): Promise<void> {
  const { path } = request.info;
  if (path === "/debug/pprof") {
    const writer = respondHead(request, 302, { location: ROOT, "content-length": "0" });
    return writer.end();
  }
  switch (path.slice(ROOT.length)) {
    case "":
      return respondBytes(request, 200, { "content-type": "text/html; charset=utf-8" }, INDEX);
    case "profile":
      return respondCpu(request, time);
    case "heap":
      return respondHeap(request);
    default:
      return respondText(request, 404, "Unknown profile\n");
  }
}

const INDEX = Buffer.from(`<html>
<head>
<title>/debug/pprof/</title>
</head>
<body>
/debug/pprof/<br>
<br>
Types of profiles available:
<ul>
<li><a href="heap">heap</a>: everything that the process holds in memory, as a heap snapshot of V8 (.heapsnapshot)</li>
<li><a href="profile">profile</a>: where the process spends its time, for go tool pprof; ?seconds=N says for how long</li>
</ul>
</body>
</html>
`);

async function respondCpu(request: ApiRequest, { clock, timers }: ProcessTime): Promise<void> {
  if (isTaking) {
    return respondText(request, 500, "Could not enable CPU profiling: cpu profiling already in use\n");
  }
  const asked = Number(request.exchange.query.get("seconds") ?? "");
  const seconds = Number.isFinite(asked) && asked > 0 ? asked : USUAL_SECONDS;
  const left = request.timeLeft;
  if (left !== undefined && seconds * 1000 >= left) {
    return respondText(request, 400, "profile duration exceeds server's WriteTimeout\n");
  }
  isTaking = true;
  let profile: Uint8Array;
  try {
    profile = await takeProfile(seconds, request.signal, { clock, timers });
  } finally {
    isTaking = false;
  }
  const body = await compress(profile);
  await respondBytes(request, 200, attachment("profile"), body);
}

async function takeProfile(seconds: number, signal: AbortSignal, { clock, timers }: ProcessTime): Promise<Uint8Array> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: INTERVAL_MICROSECONDS });
    const began = clock.now();
    await session.post("Profiler.start");
    await pause(timers, seconds * 1000, signal);
    const { profile } = await session.post("Profiler.stop");
    return encodeProfile(profile, began);
  } finally {
    session.disconnect();
  }
}

/** The process stands still while V8 walks the heap. */
async function respondHeap(request: ApiRequest): Promise<void> {
  const writer = respondHead(request, 200, attachment("heap.heapsnapshot"));
  if (request.exchange.method === "HEAD") return writer.end();
  for await (const chunk of getHeapSnapshot()) await writer.write(Buffer.from(chunk as Uint8Array));
  await writer.end();
}

const attachment = (name: string) => ({
  "content-type": "application/octet-stream",
  "content-disposition": `attachment; filename="${name}"`,
});
