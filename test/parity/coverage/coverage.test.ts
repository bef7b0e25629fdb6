import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { realTool } from "../../helpers/real-tools.js";
import { installReal } from "../run-session.js";
import { parseSession } from "../session.js";
import { hasLife } from "../session-cluster.js";
import { commandUses } from "./command-uses.js";
import { coverageExceptions } from "./exceptions.js";
import {
  allPairs,
  COMMAND_LIST_FILE,
  commandListText,
  pairName,
  parseCommandList,
  storedCommandListText,
} from "./kubectl-flags.js";
import { type Proof, PROOFS_FILE, proofsText, storedProofs } from "./proofs.js";
import { proveBySession } from "./prove.js";
import { readKubectl } from "./read-kubectl.js";

const folder = join(import.meta.dirname, "../sessions");
const sessions = readdirSync(folder)
  .filter((file) => file.endsWith(".txtar"))
  .map((file) => parseSession(file.replace(/\.txtar$/, ""), readFileSync(join(folder, file), "utf8")));
const commands = parseCommandList(storedCommandListText());
const pairs = allPairs(commands);
const excepted = new Set(coverageExceptions.flatMap((exception) => exception.pairs));

const pairsOf = (line: string): readonly string[] =>
  commandUses(line, commands).flatMap(({ flags }) => flags.map(({ owner, name }) => pairName(owner, name)));

const lines = new Map(sessions.map(({ name, steps }) => [name, new Set(steps)]));

/** Proofs whose line is still there and still has the flag. */
const standing = storedProofs().filter(
  ({ pair, session, line }) => lines.get(session)?.has(line) === true && pairsOf(line).includes(pair),
);

describe("every flag of every kubectl command is used in a recorded session", () => {
  test("in at least one line, or it is listed as an exception", () => {
    const used = new Set(sessions.flatMap(({ steps }) => steps.flatMap(pairsOf)));
    expect(pairs.filter((pair) => !used.has(pair) && !excepted.has(pair))).toEqual([]);
  });

  test("and each exception names an existing flag that no line uses", () => {
    const proven = new Set(standing.map(({ pair }) => pair));
    expect([...excepted].filter((pair) => !pairs.includes(pair) || proven.has(pair))).toEqual([]);
  });

  test("and the line listed as proof of a flag is still in its session", () => {
    const proven = new Set(standing.map(({ pair }) => pair));
    const gone = pairs.filter((pair) => !excepted.has(pair) && !proven.has(pair));
    expect(gone, "PARITY_COVERAGE=1 npx vitest run test/parity/coverage looks for others").toEqual([]);
  });
});

/** "1": pairs without a proof; "all": every pair anew; "list": the list of flags; "control": the method itself. */
const mode = process.env.PARITY_COVERAGE;
const only = process.env.PARITY_SESSION;
const log = process.env.PARITY_REPORT;

describe.skipIf(mode === undefined || mode === "list")(
  "the real kubectl prints something else without the flag",
  () => {
    test("in at least one line for every flag of every command", { timeout: 7_200_000 }, async () => {
      const proofs = new Map<string, Proof>();
      const byErrors = new Map<string, Proof>();
      if (mode === "1") for (const proof of standing) proofs.set(proof.pair, proof);
      const wanted = new Set(pairs.filter((pair) => !proofs.has(pair) && !excepted.has(pair)));
      for (const slow of [false, true]) {
        // The bench has no nodes: what runs in a session proves nothing there.
        const queue = sessions
          .filter((session) => !hasLife(session))
          .filter(({ name }) => only === undefined || name.includes(only));
        const work = async (): Promise<void> => {
          for (let session = queue.shift(); session !== undefined; session = queue.shift()) {
            const found = await proveBySession(session, {
              commands,
              install: installReal(realTool("kubectl").path),
              wanted,
              slow,
              control: mode === "control",
              log: (text) => log !== undefined && appendFileSync(log, text),
            });
            for (const proof of found.proofs) {
              proofs.set(proof.pair, proof);
              wanted.delete(proof.pair);
            }
            for (const proof of found.byErrors) byErrors.set(proof.pair, byErrors.get(proof.pair) ?? proof);
            if (mode !== "control") writeFileSync(PROOFS_FILE, proofsText(new Map([...byErrors, ...proofs]).values()));
          }
        };
        await Promise.all([work(), work()]);
        if (mode === "control") break;
      }
      const proven = new Map([...byErrors, ...proofs]);
      process.stdout.write(
        `coverage: ${pairs.length} pairs, ${proven.size} proven (${[...byErrors.keys()].filter((pair) => !proofs.has(pair)).length} of them by errors only), ${excepted.size} excepted\n`,
      );
      const expected = mode === "control" ? [] : pairs.filter((pair) => !proven.has(pair) && !excepted.has(pair));
      expect(mode === "control" ? [...proven.keys()] : expected).toEqual([]);
    });
  },
);

test.skipIf(mode !== "list")(
  "the list of commands and flags equals the real kubectl's",
  { timeout: 1_200_000 },
  async () => {
    const text = commandListText(await readKubectl(realTool("kubectl").path));
    if (process.env.UPDATE_COVERAGE_LIST !== undefined) writeFileSync(COMMAND_LIST_FILE, text);
    expect(text).toBe(storedCommandListText());
  },
);
