import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { executableMissing, testsExecutable } from "../helpers/program-under-test.js";
import { previousKubectl, type RealTool, realTool } from "../helpers/real-tools.js";
import { parseCommandList, storedCommandListText } from "./coverage/kubectl-flags.js";
import { countLines, type RunLine } from "./coverage/line-counts.js";
import { type MeantDifference, meantDifferences } from "./meant-differences.js";
import {
  installExecutable,
  installOurs,
  installReal,
  runSession,
  type SessionResult,
  type StepResult,
} from "./run-session.js";
import { type Part, shareResult } from "./part-results.js";
import { parseSession } from "./session.js";

const folder = join(import.meta.dirname, "sessions");
const only = process.env.PARITY_SESSION;

/** The kubectl that sessions are compared with, and the version of its servers. */
interface PlayedKubectl {
  readonly tool: RealTool;
  /** "1.37.1" */
  readonly version: string;
}

const NEWEST: PlayedKubectl = { tool: realTool("kubectl"), version: "1.37.1" };
/** Of the version before: our program has the texts of 1.37 alone, so only sessions without the differences agree. */
export const PREVIOUS: PlayedKubectl = { tool: previousKubectl(), version: "1.36.3" };

export interface ComparedSessions {
  /** Of those that are named here, or of all. */
  readonly names?: readonly string[];
  /** Only every so many of them, from this one on: two files, which run side by side, share all sessions. */
  readonly part?: Part;
  /** Sessions in which the executable of this machine is compared as well, where it is built: with the same runs of kubectl. */
  readonly executable?: readonly string[];
  /** Sessions of {@link executable} in which kubets itself was compared already: then the executable alone is. */
  readonly compared?: readonly string[];
  /** Default: that of the newest version. */
  readonly kubectl?: PlayedKubectl;
}

/** A test for each session. Of all sessions together: every meant difference is needed, and no command is short of lines. */
export function compareSessions({
  names,
  part,
  executable = [],
  compared = [],
  kubectl = NEWEST,
}: ComparedSessions = {}): void {
  const { tool, version } = kubectl;
  const sessions = readdirSync(folder)
    .filter((file) => file.endsWith(".txtar"))
    .map((file) => file.replace(/\.txtar$/, ""))
    .filter(
      (name) =>
        only === undefined ||
        only.split(",").some((part) => (part.startsWith("=") ? `=${name}` === part : name.includes(part))),
    )
    .filter((name) => names === undefined || names.includes(name))
    .filter((_, index) => part === undefined || index % part.of === part.index)
    .map((name) => parseSession(name, readFileSync(join(folder, `${name}.txtar`), "utf8")));
  if (tool.missing !== undefined) process.stdout.write(`parity is skipped: ${tool.missing}\n`);
  const executableRuns = !testsExecutable && executableMissing === undefined;
  if (executable.length > 0 && executableMissing !== undefined) process.stdout.write(`parity: ${executableMissing}\n`);

  describe.skipIf(tool.missing !== undefined)(`kubets answers as kubectl ${version} does`, () => {
    const used = new Set<MeantDifference>();
    const run: RunLine[] = [];

    for (const session of sessions) {
      test.concurrent(session.name, async ({ expect }) => {
        const isCompiled = executableRuns && executable.includes(session.name);
        const [real, ours, compiled] = await Promise.all([
          runSession(session, installReal(tool.path), version),
          isCompiled && compared.includes(session.name) ? undefined : runSession(session, installOurs, version),
          isCompiled ? runSession(session, installExecutable, version) : undefined,
        ]);
        run.push(...real.steps);
        const ofExecutable = compiled === undefined ? "" : differences(real, compiled, used);
        const ofOurs = ours === undefined ? "" : differences(real, ours, used);
        const found = ofOurs || (ofExecutable && `the executable:\n${ofExecutable}`);
        if (process.env.PARITY_TRANSCRIPT !== undefined)
          appendFileSync(process.env.PARITY_TRANSCRIPT, real.steps.map(transcribed).join("\n"));
        if (process.env.PARITY_REPORT !== undefined)
          appendFileSync(process.env.PARITY_REPORT, `### ${session.name}\n${found}\n\n`);
        expect(found).toBe("");
      });
    }

    afterAll(() => {
      const wrong = run.filter(({ code }) => code !== 0).length;
      process.stdout.write(`parity: ${run.length} command lines by both, ${wrong} of them wrong ones\n`);
    });

    if (names !== undefined || only !== undefined) return;

    test("every listed difference to kubectl is needed, and each command has at least four valid lines and three wrong ones", () => {
      const usedHere = [...used].map(({ name }) => name);
      const all = part === undefined ? { run, used: usedHere } : shareResult(part, { run, used: usedHere });
      if (all === undefined) return;
      const unused = meantDifferences.filter(({ name }) => !all.used.includes(name)).map(({ name }) => name);
      const counts = countLines(all.run, parseCommandList(storedCommandListText()));
      const short = counts.filter(({ good, wrong }) => good < 4 || wrong < 3);
      expect({ unused, short }).toEqual({ unused: [], short: [] });
    });
  });
}

/** A line as a terminal would have shown it, with its code where that is not 0. */
const transcribed = ({ command, stdout, stderr, code }: StepResult): string =>
  `$ ${command}\n${stdout}${stderr}${code === 0 ? "" : `[${code}]\n`}`;

/** Every difference, a block each: the command, then kubectl's lines with "-" and ours with "+". "" when there is none. */
function differences(real: SessionResult, ours: SessionResult, used: Set<MeantDifference>): string {
  const rewrite = (text: string): string =>
    meantDifferences.reduce((before, difference) => {
      const after = difference.rewrite(before);
      if (after !== before) used.add(difference);
      return after;
    }, text);
  const blocks: string[] = [];
  const compare = (title: string, theirs: string, own: string): void => {
    const [expected, actual] = [rewrite(theirs), rewrite(own)];
    if (expected === actual) return;
    const lines = (text: string, sign: string): string =>
      text
        .split("\n")
        .map((line) => `${sign} ${line}`)
        .join("\n");
    blocks.push(`${title}\n${lines(expected, "-")}\n${lines(actual, "+")}`);
  };
  real.steps.forEach((step, i) => {
    const own = ours.steps[i];
    compare(`$ ${step.command} [code]`, String(step.code), String(own?.code));
    compare(`$ ${step.command} [stdout]`, step.stdout, own?.stdout ?? "");
    compare(`$ ${step.command} [stderr]`, step.stderr, own?.stderr ?? "");
    compare(`$ ${step.command} [requests]`, step.requests.join("\n"), own?.requests.join("\n") ?? "");
  });
  for (const [path, text] of real.objects) compare(`objects at ${path}`, text, ours.objects.get(path) ?? "");
  return blocks.join("\n\n");
}
