import type { Clock } from "../base/time/clock.js";
import { klogLine } from "../machinery/text/klog/klog.js";
import type { Streams } from "./connect/factory.js";

/** Returns where the build of a kustomization writes its notes and warnings: on stderr, as kubectl does. */
export const buildNotes = (
  { err }: Pick<Streams, "err">,
  clock: Clock,
): { readonly warn: (line: string) => void; readonly log: (text: string) => void } => ({
  warn: (line) => void err.write(`${line}\n`),
  log: (text) => void err.write(klogLine("I", "log.go:244", text.trimEnd(), new Date(clock.now()))),
});
