import { expect, test } from "vitest";
import { jsonLine } from "../../../src/component/logging/log-entry.js";
import { ComponentLog, type LogSettings } from "../../../src/component/logging/component-log.js";
import { openLogStreams } from "../../../src/component/logging/log-streams.js";
import { maskSecrets } from "../../../src/component/logging/mask-secrets.js";
import { manualClock } from "../../../src/base/time/manual-clock.js";

/** 1785571208408 is in 2026; klog's lines are in local time. */
const TIME = new Date(2026, 6, 1, 9, 5, 3, 40).getTime();
const clock = { now: () => TIME };

function logTo(lines: string[], settings: Partial<LogSettings> = {}): ComponentLog {
  return new ComponentLog({ write: (line) => void lines.push(line), clock, verbosity: 0, ...settings });
}

function logAll(log: ComponentLog): void {
  log.info("server/secure_serving.go:211", "Serving securely on 127.0.0.1:6443");
  log.structured("leaderelection/leaderelection.go:299", "New leader elected", { leader: "a b", terms: 2 });
  log.warn("options/options.go:100", "--port has no effect");
  log.error("cli/run.go:72", "command failed", new Error("no such file\u0008"));
}

test("C-RUN-01: a klog line has severity, time, process, file and values", () => {
  const lines: string[] = [];
  logAll(logTo(lines));
  const head = (severity: string): string => `${severity}0701 09:05:03.040000 ${String(process.pid).padStart(7)} `;
  expect(lines).toEqual([
    `${head("I")}secure_serving.go:211] Serving securely on 127.0.0.1:6443\n`,
    `${head("I")}leaderelection.go:299] "New leader elected" leader="a b" terms=2\n`,
    `${head("W")}options.go:100] --port has no effect\n`,
    `${head("E")}run.go:72] "command failed" err="no such file\\b"\n`,
  ]);
});

test("C-RUN-01: a JSON log line has component-base's fields in its order", () => {
  const lines: string[] = [];
  logAll(logTo(lines, { format: jsonLine }));
  expect(lines).toEqual([
    `{"ts":${TIME},"caller":"server/secure_serving.go:211","msg":"Serving securely on 127.0.0.1:6443","v":0}\n`,
    `{"ts":${TIME},"caller":"leaderelection/leaderelection.go:299","msg":"New leader elected","v":0,"leader":"a b","terms":2}\n`,
    `{"ts":${TIME},"caller":"options/options.go:100","msg":"--port has no effect","v":0}\n`,
    `{"ts":${TIME},"caller":"cli/run.go:72","msg":"command failed","err":"no such file\\u0008"}\n`,
  ]);
});

test("-v and --vmodule decide which messages are logged, and -v can change at run time", () => {
  const lines: string[] = [];
  const log = logTo(lines, { modules: "http*=3" });
  log.structured("httplog/httplog.go:134", "HTTP", {}, 3);
  log.structured("httplog/httplog.go:134", "more", {}, 4);
  log.info("other/other.go:1", "quiet", 1);
  expect(lines.join("")).toMatch(/^I.* httplog\.go:134\] "HTTP"\n$/);
  log.setVerbosity(4);
  expect([log.isOn(4, "other/other.go:1"), log.isOn(5, "httplog/httplog.go:134")]).toEqual([true, false]);
});

test.each([
  ["Authorization: Bearer abcdefghijklmnopqrstuvwxyz", "Authorization: Bearer <masked>"],
  ["basic dXNlcjpwYXNzd29yZA==", "basic <masked>"],
  ["token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln is invalid", "token <masked> is invalid"],
  ["dial postgres://user:pass@db:5432/kubets", "dial postgres://user:<masked>@db:5432/kubets"],
  ["/a?access_token=abc&limit=5&to%6ben=x", "/a?access_token=<masked>&limit=5&to%6ben=<masked>"],
  ["/a?continue=eyJ2IjoibWV0YS&X-Api-Key=1", "/a?continue=eyJ2IjoibWV0YS&X-Api-Key=<masked>"],
  ["/a?password=p&api-key=k&command=ls", "/a?password=<masked>&api-key=<masked>&command=ls"],
  [
    "base64url.bearer.authorization.k8s.io.dG9rZW4, v5.channel.k8s.io",
    "base64url.bearer.authorization.k8s.io.<masked>, v5.channel.k8s.io",
  ],
  ["the bearer token is not valid", "the bearer token is not valid"],
])("the log masks secrets: %s is written as %s", (text, masked) => {
  expect(maskSecrets(text)).toBe(masked);
});

test("with split streams, errors go to stderr, and other lines wait for a full buffer or for the time", () => {
  const driven = manualClock();
  const [out, err]: [string[], string[]] = [[], []];
  const streams = openLogStreams({
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    splits: true,
    bufferBytes: 10,
    flushFrequency: 5000,
    timers: driven,
  });
  streams.write("12345\n", false);
  streams.write("bad\n", true);
  expect([out, err]).toEqual([[], ["bad\n"]]);
  streams.write("67890\n", false);
  expect(out).toEqual(["12345\n"]);
  streams.write("a line that is longer\n", false);
  expect(out).toEqual(["12345\n", "67890\n", "a line that is longer\n"]);
  streams.write("in time\n", false);
  driven.fireNext(driven.now() + 5000);
  expect(out.at(-1)).toBe("in time\n");
  streams.write("last\n", false);
  streams.close();
  expect(out.at(-1)).toBe("last\n");
});
