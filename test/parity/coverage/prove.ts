import type { InstallProgram, StepResult } from "../run-session.js";
import type { Session } from "../session.js";
import { Bench } from "./bench.js";
import { commandUses, type GivenFlag, withoutFlag } from "./command-uses.js";
import { type CommandList, pairName } from "./kubectl-flags.js";
import type { Proof } from "./proofs.js";

/** A line that might prove a pair. */
interface Candidate {
  readonly pair: string;
  readonly flag: GivenFlag;
}

export interface ProveOptions {
  readonly commands: CommandList;
  readonly install: InstallProgram;
  /** Pairs that still need a proof. */
  readonly wanted: ReadonlySet<string>;
  /** Lines that wait are run too. */
  readonly slow: boolean;
  /** Instead of a line without the flag the line itself is run: whatever differs then is a fault of this method. */
  readonly control: boolean;
  readonly log: (text: string) => void;
}

export interface SessionProofs {
  readonly proofs: readonly Proof[];
  /** By lines that end with an error: taken where no other line proves the pair. */
  readonly byErrors: readonly Proof[];
}

/** Lines that wait for something. */
const SLOW = /\b(?:timeout|sleep|wait)\b|--request-timeout|--watch|--timeout|\s-w\b/;

/** Lines that leave everything as it is: nothing later depends on them. */
const READS =
  /^(?:[A-Z_]+=\S* )*kubectl (?:(?:get|describe|explain|api-resources|api-versions|version|top|logs|events|options|__complete|diff|auth can-i|auth whoami|rollout status|rollout history|config view|config get-\w+) [^>;&`]*|[^>;&`|]* --help|[^>;&`|]* --dry-run=(?:client|server)[^>;&`|]*)$/;

/** Lines in vain, for one pair of one session. */
const MOST_ATTEMPTS = 8;

/**
 * Plays a session with `install`'s program. Before a line with a flag that is wanted, the line is run without the flag; then everything goes
 * back to where it was and the line itself is run. The pair is proven when output, code, requests or objects differ.
 */
export async function proveBySession(session: Session, options: ProveOptions): Promise<SessionProofs> {
  const open = new Set(options.wanted);
  const attempts = new Map<string, number>();
  const result = { proofs: [] as Proof[], byErrors: [] as Proof[] };
  const candidates = session.steps.map((line) => candidatesOf(line, options));
  const last = candidates.findLastIndex((found) => found.length > 0);
  if (last < 0) return result;
  const bench = await Bench.start(session, options.install);
  try {
    for (const [i, line] of session.steps.slice(0, last + 1).entries()) {
      const tries = (candidates[i] ?? []).filter(
        ({ pair }) => open.has(pair) && (attempts.get(pair) ?? 0) < MOST_ATTEMPTS,
      );
      if (tries.length === 0 && READS.test(line)) {
        bench.next();
        continue;
      }
      const step = await proveLine(bench, line, tries, options.control);
      bench.next();
      for (const { candidate, without, difference } of step.tried) {
        const { pair } = candidate;
        attempts.set(pair, (attempts.get(pair) ?? 0) + 1);
        options.log(`${difference ?? "same"}\t${pair}\t${session.name}\t${line}\t=>\t${without}\n`);
        if (difference === undefined || REFUSED_VALUE.test(step.actual.stderr)) continue;
        if (step.actual.code === 0) open.delete(pair);
        (step.actual.code === 0 ? result.proofs : result.byErrors).push({ pair, session: session.name, line });
      }
    }
  } finally {
    await bench.close();
  }
  return result;
}

/** A value that no flag takes says nothing about what the flag does. */
const REFUSED_VALUE = /^error: (?:invalid argument |unknown (?:shorthand )?flag|flag needs an argument)/m;

function candidatesOf(line: string, { commands, wanted, slow }: ProveOptions): readonly Candidate[] {
  if (!slow && SLOW.test(line)) return [];
  return commandUses(line, commands)
    .flatMap(({ flags }) => flags.map((flag) => ({ pair: pairName(flag.owner, flag.name), flag })))
    .filter(({ pair }) => wanted.has(pair));
}

interface Tried {
  readonly candidate: Candidate;
  readonly without: string;
  /** What differs; undefined when nothing does. */
  readonly difference: string | undefined;
}

async function proveLine(
  bench: Bench,
  line: string,
  tries: readonly Candidate[],
  control: boolean,
): Promise<{ readonly actual: StepResult; readonly tried: readonly Tried[] }> {
  if (tries.length === 0) return { actual: await bench.run(line), tried: [] };
  await bench.checkpoint();
  const runs: { candidate: Candidate; without: string; step: StepResult; objects: string | undefined }[] = [];
  for (const candidate of tries) {
    const without = control ? line : withoutFlag(line, candidate.flag);
    const step = await bench.run(without);
    const written = step.requests.some(writes);
    // Equal requests leave equal objects, unless they come from somebody else: only flags of every command say who sends them.
    const objects = written && candidate.flag.owner === "" ? await bench.objects() : undefined;
    await bench.restore(written);
    runs.push({ candidate, without, step, objects });
  }
  const actual = await bench.run(line);
  const tried: Tried[] = [];
  for (const { candidate, without, step, objects } of runs) {
    const sameObjects = objects === undefined || objects === (await bench.objects());
    tried.push({
      candidate,
      without,
      difference: differingPart(step, actual) ?? (sameObjects ? undefined : "objects"),
    });
  }
  return { actual, tried };
}

function differingPart(a: StepResult, b: StepResult): string | undefined {
  if (a.code !== b.code) return "code";
  if (a.stdout !== b.stdout) return "stdout";
  if (a.stderr !== b.stderr) return "stderr";
  return a.requests.join("\n") === b.requests.join("\n") ? undefined : "requests";
}

/** Whether a request may have changed an object. */
function writes(request: string): boolean {
  const [head = ""] = request.split(" [", 1);
  return !head.startsWith("GET ") && !head.includes("dryRun=All") && !/\/selfsubject\w+reviews/.test(head);
}
