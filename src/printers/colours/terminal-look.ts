import { Chalk } from "chalk";
import type { Look, Paint } from "../look.js";
import { codePoints } from "../look.js";
import { displayWidth, withoutCodes } from "./display-width.js";
import { paintJson, paintKyaml, paintYaml } from "./paint-document.js";
import { paintDescription, paintDiff } from "./paint-lines.js";
import { type Tone, toneOf } from "./tones.js";

/** The sixteen colours that every terminal has, in the shades its owner chose. Whether they are wanted is decided elsewhere. */
const chalk = new Chalk({ level: 1 });

const TONES: Readonly<Record<Tone, (text: string) => string>> = {
  good: chalk.green,
  busy: chalk.yellow,
  bad: chalk.red,
  muted: chalk.gray,
};

const SOURCES = [chalk.cyan, chalk.green, chalk.magenta, chalk.yellow, chalk.blue, chalk.red];

/** "error:", "Error from server (NotFound):" and what else an error begins with. */
const ERROR_HEAD =
  /^(?:error|Error from server(?: \(\w+\))?|Unable to connect to the server|Error in configuration):/gim;

/**
 * On a terminal text is aligned by what it takes there; elsewhere, as kubectl does, by code points, so that colours
 * that were asked for are all that differs.
 */
export function terminalLook({ isTerminal, colour }: { readonly isTerminal: boolean; readonly colour: boolean }): Look {
  const measure = isTerminal ? displayWidth : (text: string): number => codePoints(withoutCodes(text));
  return { measure, paint: colour ? createPaint() : undefined };
}

function createPaint(): Paint {
  const cell = (column: string, text: string): string => {
    const tone = toneOf(column, text);
    return tone === undefined ? text : TONES[tone](text);
  };
  const heading = (text: string): string => chalk.bold(text);
  const document = { key: chalk.cyan, value: chalk.yellow, nothing: chalk.gray };
  const difference = { added: chalk.green, removed: chalk.red, place: chalk.cyan, file: chalk.bold };
  const pods = new Map<string, number>();
  return {
    heading,
    cell,
    yaml: (text) => paintYaml(text, document),
    json: (text) => paintJson(text, document),
    kyaml: (text) => paintKyaml(text, document),
    description: (text) => paintDescription(text, { key: chalk.cyan, heading, cell }),
    diff: (text) => paintDiff(text, difference),
    source: (pod, text) => {
      const place = pods.get(pod) ?? pods.size;
      pods.set(pod, place);
      return (SOURCES[place % SOURCES.length] ?? chalk.cyan)(text);
    },
    error: (text) => text.replace(ERROR_HEAD, (head) => chalk.red(head)),
    muted: (text) => chalk.gray(text),
  };
}
