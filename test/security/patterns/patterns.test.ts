import { expect, test } from "vitest";
import { expressionsInSources } from "./expressions.js";
import { slowTextOf } from "./slow-match.js";

// No text that others write makes a regular expression of the program slow.

/** The nodes' programs bound what they read, or will: these go when they do. */
const SHELL = "of pods' programs";

/** Literals that are slow on some text, which they are never given, and why. */
const BOUNDED: Readonly<Record<string, string>> = {
  "base/text/go-literals.ts: /(\\d+(?:\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)/g":
    "it is given what the anchored pattern before it took, in which a unit follows every number",
  "machinery/text/klog/leveled-log.ts: /\\\\(.)|(\\[\\^?[^\\]]+\\])|([*?])|([^\\w])/g":
    "--vmodule of the user's own command line",
  "client/rest/request-log.ts: /\\.?0+$/": "a number of milliseconds with six digits after the point",
  "cli/wait-conditions/conditions.ts: /^['\"]+|['\"]+$/g": "a word of the user's own command line",
  "kustomize/vars.ts: /\\$(?:\\$|\\(([^)]*)\\))/g": "it is given text that ends in the bracket that it looks for",
  "machinery/cel/extensions/format.ts: /\\d(?=(?:\\d{3})+$)/g": "the digits of a float64, at most 309",
  "machinery/text/go/go-pattern.ts: /\\[\\^?\\]?[^\\]]*\\]/g":
    "it is given text that ends in the bracket that it looks for",
  "machinery/text/gotemplate/literals.ts: /^(.+?)(?<![eEpP])([+-].*)i$/":
    "a number in a template of the user's own command line",
  "machinery/wire/tar/read-header.ts: /^[ \\0]+|[ \\0]+$/g": "a field of a header, at most 12 bytes",
  "node/agent/container-environment.ts: /\\$\\$|\\$\\(([^)]*)\\)/g": SHELL,
  "node/agent/container-record.ts: /\\/\\/.*$/": "the runtime's own version",
  "node/scripted/programs/options.ts: /\\/+$/": SHELL,
  "node/scripted/programs/system.ts: /^(\\d*\\.?\\d+|infinity)([smhd]?)$/": SHELL,
  "node/scripted/programs/tar.ts: /\\/+$/": SHELL,
  "node/scripted/scripted-runtime.ts: /@.*$/": SHELL,
  "node/scripted/shell/expansion/expand.ts: /\\n+$/": SHELL,
  "server/authn/oidc/verify-id-token.ts: /\\.?0*Z$/": "a time as Date writes it",
};

/** Calls that make an expression of a text, and why no text makes it slow. */
const MADE: Readonly<Record<string, string>> = {
  'cli/terminal/terminal-output.ts: new RegExp(`(\\\\u001b\\\\[[?0-9;]*[A-Za-z]|\\\\r)${this.#mark}|${CONTROL}`, "g")':
    "begins at an escape character, which its loop does not take",
  "machinery/text/klog/leveled-log.ts: new RegExp(`^${source}$`)": "--vmodule of the user's own command line",
  'kustomize/generators.ts: new RegExp(`.{1,${LINE}}`, "g")': "a constant length",
  'machinery/cel/extensions/strings.ts: new RegExp(`[${Object.keys(QUOTED).join("").replace("\\\\", "\\\\\\\\")}]`, "g")':
    "a set of constant characters",
  'machinery/cel/parser/lexer.ts: new RegExp(`[bB](?:${QUOTED})`, "uy")':
    "parts that begin with different characters, at one place; the lexer goes on where a match ended",
  'machinery/cel/parser/lexer.ts: new RegExp(QUOTED, "uy")':
    "parts that begin with different characters, at one place; the lexer goes on where a match ended",
  'machinery/cel/parser/lexer.ts: new RegExp( [ String.raw`[bB]?"(?:${ESCAPE}|[^\\\\"\\n\\r])*(?:${CUT_ESCAPE})?.?`, String.raw`[bB]?\'(?:${ESCAPE}|[^\\\\\'\\n\\r])*(?:${CUT_ESCAPE})?.?`, String.raw`[bB]?[rR]["\'].*`, "`[\\\\w./ -]*.?", "[&|=]?[^]", ].join("|"), "uy", )':
    "parts that begin with different characters, at one place; the lexer goes on where a match ended",
  'machinery/text/go/go-pattern.ts: new RegExp(source, [...flags].join(""))':
    "a pattern of the user's own kustomization, or of the user's own command line",
  "machinery/text/go/go-url.ts: new RegExp(`^${HOST.source}*$`)": "one loop over a set of characters, anchored",
  'machinery/text/go/number-syntax.ts: new RegExp(`${prefix === "" ? "^_|" : ""}(?<!^|${digit})_|_(?!${digit})`)':
    "no loop",
  'machinery/structural/formats.ts: new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${middle}-?[0-9a-f]{12}$`, "i")':
    "counted digits, anchored; what is put in is a constant",
  "machinery/validation/names.ts: new RegExp(`^${pattern}$`)":
    "constants of the file, anchored, whose parts are divided by characters that they do not take",
  'node/scripted/programs/posix-regexp.ts: new RegExp(translation.source, `g${syntax.ignoreCase === true ? "i" : ""}`)':
    "a pattern without repeats and choices: it tries each place of the text once",
  'node/scripted/shell/expansion/fields.ts: new RegExp(`[${characters.replace(/[\\\\\\]^-]/g, "\\\\$&")}]`, "g")':
    "a set of characters",
  "node/scripted/shell/expansion/glob.ts: new RegExp(anchored ? `^${source}$` : source)": SHELL,
  'printers/colours/display-width.ts: new RegExp(`${ESCAPE}\\\\[[0-9;]*m(?:[\\\\u0001-\\\\u0008]{${MARK_LENGTH}})?`, "g")':
    "begins with an escape, one loop over a set of characters, then a constant count",
  "printers/colours/display-width.ts: new RegExp(CONTROL)": "a constant text without loops",
  'server/kubelet/html-links.ts: new RegExp(text, "gi")': "a constant text without loops",
};

const { literals, calls } = expressionsInSources();

test("no regular expression literal in src takes more than linear time, except for those that the list explains", () => {
  const slow = new Map<string, string>();
  const judged = new Map<string, ReturnType<typeof slowTextOf>>();
  for (const { file, pattern } of literals) {
    const source = String(pattern);
    if (!judged.has(source)) judged.set(source, slowTextOf(pattern));
    const attack = judged.get(source);
    if (attack !== undefined) slow.set(`${file}: ${source}`, JSON.stringify(attack));
  }
  expect([...slow].filter(([found]) => !(found in BOUNDED))).toEqual([]);
  expect(Object.keys(BOUNDED).filter((listed) => BOUNDED[listed] !== SHELL && !slow.has(listed))).toEqual([]);
});

test("every call in src that compiles a regular expression from a text is listed", () => {
  expect(calls.filter((call) => !(call in MADE))).toEqual([]);
  expect(Object.keys(MADE).filter((listed) => MADE[listed] !== SHELL && !calls.includes(listed))).toEqual([]);
});

test.each([
  ["a loop in a loop", /^(a+)+$/],
  ["a loop in a loop, with a gap", /^\s*(?:-+\s*)+$/],
  ["two ways to take the same", /^(?:a|aa)*c$/],
  ["loops beside each other", /^[a-z]*[a-z0-9]*!$/],
  ["a search that begins everywhere", /\s+$/],
  ["a search for an end that is not there", /BEGIN[^]*?END/],
])("the check for slow regular expressions finds %s", (_, pattern) => {
  expect(slowTextOf(pattern)).toBeDefined();
});

test.each([
  ["one loop", /^[a-z]+$/],
  ["loops that take different characters", /^[a-z]*[0-9]*!$/],
  ["a loop of parts that begin differently", /^(?:a[^,]*,)*$/],
  ["a search for a word's start", /(?<!\S)\S+ in/],
])("the check for slow regular expressions accepts %s", (_, pattern) => {
  expect(slowTextOf(pattern)).toBeUndefined();
});
