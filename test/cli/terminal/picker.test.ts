import { describe, expect, test } from "vitest";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { Colours } from "../../../src/cli/terminal/colour.js";
import { pickName } from "../../../src/cli/terminal/picker.js";
import { DrivenTerminal } from "../../helpers/driven-terminal.js";

interface Picking {
  readonly terminal: DrivenTerminal;
  readonly picked: Promise<string>;
  readonly ending: AbortController;
}

function pick(
  names: readonly string[],
  current = "",
  size: { columns?: number; rows?: number } = {},
  env: Readonly<Record<string, string>> = { LANG: "C.UTF-8" },
): Picking {
  const terminal = new DrivenTerminal(size);
  const ending = new AbortController();
  const host = { streams: terminal.streams, env, colours: new Colours(env, systemRandom) };
  const plain = { code: (_stream: unknown, sequence: string) => sequence };
  const colours = Object.assign(host.colours, plain);
  const options = { what: "context", names, current, look: {} };
  return { terminal, ending, picked: pickName(options, { ...host, colours }, ending.signal) };
}

const NAMES = ["alpha", "beta", "gamma", "kind-dev"];
const FOOTER = "Enter takes, Esc leaves, arrows or j and k move, typing filters";

const screenOf = (title: string, lines: readonly string[], count: string): string =>
  [title, ...lines, `${count}  ${FOOTER}`].join("\n");

test("the picker starts at the current name, and Enter picks the name at the arrow", async () => {
  const { terminal, picked } = pick(NAMES, "beta");
  const first = screenOf("context: ", ["  alpha", "> beta (current)", "  gamma", "  kind-dev"], "4/4");
  expect(await terminal.shows("typing filters")).toBe(first.replace("context: ", "context:"));
  terminal.press("\u001b[B");
  await terminal.shows("> gamma");
  terminal.press("\r");
  expect(await picked).toBe("gamma");
  expect(terminal.raw).toEqual([true, false]);
  expect([terminal.screen.isAlternate, terminal.screen.showsCursor]).toEqual([false, true]);
});

test.each([
  ["j and k move", "jjk\r", "beta"],
  ["the ends hold", "kkkk\r", "alpha"],
  ["down beyond the end", "jjjjjjjj\r", "kind-dev"],
  ["typing filters, in any case, and Enter takes what is left", "GAM\r", "gamma"],
  ["each word of the filter has to be there", "dev ki\r", "kind-dev"],
  ["a slash begins a filter with k", "/kin\r", "kind-dev"],
  ["arrows move among what is left", "a\u001b[B\u001b[B\r", "gamma"],
  ["Ctrl-U clears the filter, and the place stays at the name", "gam\u0015\u001b[B\r", "kind-dev"],
])("the picker by keyboard: %s", async (_what, keys, name) => {
  const { terminal, picked } = pick(NAMES);
  terminal.press(keys);
  expect(await picked).toBe(name);
});

test.each([
  [{}, "> 名"],
  [{ LC_ALL: "", LANG: "de_DE.utf8" }, "> 名"],
  [{ LANG: "C" }, "> ??"],
  [{ LANG: "C.UTF-8", LC_ALL: "POSIX" }, "> ??"],
])("the picker in the locale %o cuts names as tables do, with UTF-8 or without", async (env, line) => {
  const { terminal, picked } = pick(["名"], "", {}, env);
  expect(await terminal.shows("typing filters")).toContain(line);
  terminal.press("\r");
  expect(await picked).toBe("名");
});

test("Enter does nothing in the picker while no name matches", async () => {
  const { terminal, picked } = pick(NAMES);
  terminal.press("zzz\r");
  await terminal.shows("0/4");
  terminal.press("\u0015\r");
  expect(await picked).toBe("alpha");
});

describe("leaving the picker restores the terminal", () => {
  test.each([
    ["Escape", "\u001b", { exitCode: 1, message: "" }],
    ["Ctrl-C", "\u0003", { exitCode: 130, message: "" }],
    ["Ctrl-D", "\u0004", { message: "no context was picked: the input has ended" }],
  ])("by %s", async (_what, keys, error) => {
    const { terminal, picked } = pick(NAMES);
    terminal.press(keys);
    await expect(picked).rejects.toMatchObject(error);
    expect(terminal.raw).toEqual([true, false]);
    await new Promise(setImmediate);
    expect(terminal.screen.isAlternate).toBe(false);
  });

  test("when the input ends", async () => {
    const { terminal, picked } = pick(NAMES);
    terminal.endInput();
    await expect(picked).rejects.toThrow("no context was picked: the input has ended");
    expect(terminal.raw).toEqual([true, false]);
  });

  test("at once when a signal aborts, whose reason it throws", async () => {
    const { terminal, picked, ending } = pick(NAMES);
    const reason = new Error("SIGTERM");
    ending.abort(reason);
    expect(terminal.raw).toEqual([true, false]);
    await expect(picked).rejects.toBe(reason);
  });
});

test("the picker escapes control characters in names, shows each on one line, and returns the picked one unchanged", async () => {
  const hostile = "red\u001b[31m\nsecond\u009b2J";
  const { terminal, picked } = pick(["a", hostile], hostile);
  await terminal.shows("> red^[[31m\\nsecond\\x9b2J (current)");
  expect(terminal.written).not.toContain("\u001b[31m");
  terminal.press("\r");
  expect(await picked).toBe(hostile);
});

test("the picker on a terminal of 20 columns and 4 rows shows the names around the arrow, also after a resize to that size", async () => {
  const names = Array.from({ length: 30 }, (_, index) => `context-with-a-long-name-${index}`);
  const { terminal, picked } = pick(names, "", { columns: 60, rows: 20 });
  await terminal.shows("> context-with-a-long-name-0\n");
  terminal.resize(20, 4);
  await terminal.shows(/^context:\n> context-with-a-l…\n {2}context-with-a-l…\n30\/30 {2}Enter takes…$/);
  terminal.press("\u001b[B".repeat(29));
  await terminal.shows(/^context:\n {2}context-with-a-l…\n> context-with-a-l…\n/);
  terminal.press("\r");
  expect(await picked).toBe("context-with-a-long-name-29");
});
