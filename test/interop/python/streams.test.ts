import { dirname, join } from "node:path";
import { describeForeignStreams } from "../foreign-streams.js";

const { foreignClient } = (await import("../../helpers/build-foreign-clients.mjs" as string)) as {
  foreignClient: (language: "python") => { readonly command?: readonly string[]; readonly missing?: string };
};
const { command: program, missing } = foreignClient("python");
if (missing !== undefined) process.stdout.write(`Python's streams are skipped: ${missing}\n`);

const CHECKS = [
  "a command's output is its answer",
  "both outputs and the exit code of a command that fails",
  "what a command reads is what was written to it",
  "a terminal is one output, with line ends of its own",
  "bytes that are no text arrive unchanged",
  "a socket to a port of the pod carries bytes both ways",
];

const [python = "", main = ""] = program ?? [];
const command = program && [python, join(dirname(main), "streams.py")];
describeForeignStreams("streams of Python's kubernetes 37.0.2", command, CHECKS);
