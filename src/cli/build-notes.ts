import type { Clock } from "../base/time/clock.js";
import { klogLine } from "../client/klog.js";
import type { Streams } from "./connect/factory.js";

/** Where the build of a kustomization says what is not part of its result: on stderr, as kubectl has it. */
export const buildNotes = (
  { err }: Pick<Streams, "err">,
  clock: Clock,
): { readonly warn: (line: string) => void; readonly log: (text: string) => void } => ({
  warn: (line) => void err.write(`${line}\n`),
  log: (text) => void err.write(klogLine("I", "log.go:244", text.trimEnd(), new Date(clock.now()))),
});
