import { Chalk } from "chalk";
import type { Look, Paint, TableFit } from "../look.js";
import { codePoints } from "../look.js";
import { displayWidth, withoutCodes } from "./display-width.js";
import { fitRows } from "./fit-table.js";
import { paintJson, paintKyaml, paintYaml } from "./paint-document.js";
import { paintDescription } from "./paint-description.js";
import { paintDiff } from "./paint-diff.js";
import { logParts } from "./paint-log.js";
import { conditionTone, type Tone, toneOf } from "./tones.js";

/** The sixteen colours that every terminal has, in the shades its owner chose. Whether they are wanted is decided elsewhere. */
const chalk = new Chalk({ level: 1 });

type Brush = (text: string) => string;

/** The colours of chalk by `code`. A line end is outside of them, as chalk has it. */
function brushes(code: (sequence: string) => string) {
  const brush = (colour: Brush): Brush => {
    const [begin = "", end = ""] = colour("|").split("|").map(code);
    return (text) => (text === "" ? "" : begin + text.replaceAll(/\r?\n/g, (lineEnd) => end + lineEnd + begin) + end);
  };
  const { green, yellow, red, gray, cyan, magenta, blue, bold } = chalk;
  return {
    tones: { good: brush(green), busy: brush(yellow), bad: brush(red), muted: brush(gray) } satisfies Record<
      Tone,
      Brush
    >,
    sources: [cyan, green, magenta, yellow, blue, red].map(brush),
    bold: brush(bold),
    cyan: brush(cyan),
  };
}

/** "error:", "Error from server (NotFound):" and what else an error begins with. */
const ERROR_HEAD =
  /^(?:error|Error from server(?: \(\w+\))?|Unable to connect to the server|Error in configuration):/gim;

export interface TerminalLookOptions {
  readonly isTerminal: boolean;
  readonly colour: boolean;
  /** Makes of the code of a colour one that passes to the terminal. */
  readonly code: (sequence: string) => string;
  /** The terminal's columns now, 0 or undefined where it does not know. Absent: tables are not cut. */
  readonly columns?: (() => number | undefined) | undefined;
  /** What stands where text is cut. */
  readonly ellipsis: string;
}

/**
 * Makes the look of an output. A terminal's text is aligned by display width; other output by code points as in kubectl, so that
 * it differs by colour codes only.
 */
export function terminalLook({ isTerminal, colour, code, columns, ellipsis }: TerminalLookOptions): Look {
  const measure = isTerminal ? displayWidth : (text: string): number => codePoints(withoutCodes(text));
  const fit: TableFit | undefined =
    isTerminal && columns !== undefined
      ? { width: () => columns() || undefined, rows: (rows, layout) => fitRows(rows, layout, ellipsis) }
      : undefined;
  return { measure, paint: colour ? createPaint(code) : undefined, fit, ellipsis };
}

function createPaint(code: TerminalLookOptions["code"]): Paint {
  const { tones, sources, bold, cyan } = brushes(code);
  const cell = (column: string, text: string): string => {
    const tone = toneOf(column, text);
    return tone === undefined ? text : tones[tone](text);
  };
  const condition = (type: string, status: string): string => {
    const tone = conditionTone(type, status);
    return tone === undefined ? status : tones[tone](status);
  };
  const heading = bold;
  const document = { key: cyan, value: tones.busy, nothing: tones.muted };
  const difference = { added: tones.good, removed: tones.bad, place: cyan, file: bold };
  const pods = new Map<string, number>();
  return {
    heading,
    key: cyan,
    type: tones.busy,
    cell,
    yaml: (text) => paintYaml(text, document),
    json: (text) => paintJson(text, document),
    kyaml: (text) => paintKyaml(text, document),
    description: (text) => paintDescription(text, { key: cyan, heading, cell, condition }),
    diff: (text) => paintDiff(text, difference),
    source: (pod, text) => {
      const place = pods.get(pod) ?? pods.size;
      pods.set(pod, place);
      return (sources[place % sources.length] ?? cyan)(text);
    },
    log: (line) =>
      logParts(line).map(({ start, end, tone }) => ({ start, end, paint: tone === "key" ? cyan : tones[tone] })),
    error: (text) => text.replace(ERROR_HEAD, tones.bad),
    muted: tones.muted,
    current: tones.good,
  };
}
