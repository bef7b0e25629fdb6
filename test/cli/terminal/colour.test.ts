import { expect, test } from "vitest";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { Colours } from "../../../src/cli/terminal/colour.js";

const [terminal, pipe] = [{ isTTY: true }, {}];

test.each<[string, Record<string, string>, string, boolean, boolean]>([
  ["nothing said", {}, "auto", true, false],
  ["NO_COLOR", { NO_COLOR: "1" }, "auto", false, false],
  ["an empty NO_COLOR is none", { NO_COLOR: "" }, "auto", true, false],
  ["FORCE_COLOR colours no pipe", { FORCE_COLOR: "1" }, "auto", true, false],
  ["FORCE_COLOR=0", { FORCE_COLOR: "0" }, "auto", false, false],
  ["a dumb terminal", { TERM: "dumb" }, "auto", false, false],
  ["a dumb terminal that is not", { TERM: "dumb", FORCE_COLOR: "1" }, "auto", true, false],
  ["NO_COLOR before FORCE_COLOR", { NO_COLOR: "1", FORCE_COLOR: "1" }, "auto", false, false],
  ["always", { NO_COLOR: "1" }, "always", true, true],
  ["never", { FORCE_COLOR: "1" }, "never", false, false],
])("whether a terminal and a pipe get colours: %s", (_name, env, choice, onTerminal, inPipe) => {
  const colours = new Colours(env, systemRandom);
  colours.choose(choice);
  expect([colours.on(terminal), colours.on(pipe)]).toEqual([onTerminal, inPipe]);
});

test.each<[Record<string, string>, string]>([
  [{}, "…"],
  [{ LANG: "C.UTF-8" }, "…"],
  [{ LANG: "de_DE.utf8" }, "…"],
  [{ LANG: "C" }, "..."],
  [{ LANG: "de_DE" }, "..."],
  [{ LANG: "C.UTF-8", LC_CTYPE: "POSIX" }, "..."],
  [{ LANG: "C", LC_ALL: "en_US.UTF-8" }, "…"],
])("in the locale %o a table marks cut text with %s", (env, ellipsis) => {
  const colours = new Colours(env, systemRandom);
  expect([colours.ellipsis, colours.utf8]).toEqual([ellipsis, ellipsis === "…"]);
});
