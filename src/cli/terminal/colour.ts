import type { Random } from "../../base/numbers/random.js";
import type { Look } from "../../printers/look.js";
import { OwnCodes } from "./terminal-output.js";

type Environment = Readonly<Record<string, string | undefined>>;
type Terminal = { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

/** What --color says. */
export const colourChoices = ["auto", "always", "never"] as const;

/**
 * Which streams of one run of the program get colours. --color decides if it was given. If not, a terminal gets them unless
 * NO_COLOR is set to anything (https://no-color.org), FORCE_COLOR is 0 or false, or TERM is dumb and FORCE_COLOR does not
 * say otherwise; what is not a terminal never does, so that no setting of a shell changes what scripts read.
 */
export class Colours {
  readonly #env: Environment;
  #choice: (typeof colourChoices)[number] = "auto";
  /** What this run of the program may do to a terminal. */
  readonly codes: OwnCodes;

  constructor(env: Environment, random: Random) {
    this.#env = env;
    this.codes = new OwnCodes(random);
  }

  /** Takes the value of --color. Throws for one that it does not have. */
  choose(value: string): void {
    const choice = colourChoices.find((one) => one === value);
    if (choice === undefined) throw new Error(`invalid --color ${JSON.stringify(value)}: use auto, always or never`);
    this.#choice = choice;
  }

  on(stream: Terminal): boolean {
    return this.#choice === "auto" ? stream.isTTY === true && wantedBy(this.#env) : this.#choice === "always";
  }

  /** What stands where text is cut: three dots where the locale does not have UTF-8. */
  get ellipsis(): string {
    return hasUtf8(this.#env) ? "…" : "...";
  }

  /** A sequence of the program's own, as it is written to the stream. */
  code(stream: Terminal, sequence: string): string {
    return stream.isTTY === true ? this.codes.marked(sequence) : sequence;
  }
}

function wantedBy({ NO_COLOR, FORCE_COLOR, TERM }: Environment): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return TERM !== "dumb";
}

/** By the first variable that POSIX looks at. Where none is set, which tells nothing of a terminal, it has. */
function hasUtf8({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || "";
  return locale === "" || /utf-?8/i.test(locale);
}

/**
 * How text is shown on a stream; with `fit` tables are cut to the width that a terminal has when they are written. What paints it is loaded only where it is to be painted or aligned for a person.
 */
export async function lookOf(
  stream: Terminal,
  colours: Colours,
  { fit = false }: { readonly fit?: boolean } = {},
): Promise<Look> {
  const isTerminal = stream.isTTY === true;
  const colour = colours.on(stream);
  if (!isTerminal && !colour) return {};
  const { terminalLook } = await import("../../printers/colours/terminal-look.js");
  return terminalLook({
    isTerminal,
    colour,
    code: (sequence) => colours.code(stream, sequence),
    columns: fit ? () => stream.columns : undefined,
    ellipsis: colours.ellipsis,
  });
}
