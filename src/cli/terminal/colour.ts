import type { Random } from "../../base/numbers/random.js";
import type { Look } from "../../printers/look.js";
import { OwnCodes } from "./terminal-output.js";

type Environment = Readonly<Record<string, string | undefined>>;
type Terminal = { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };

/** The values of --color. */
export const colourChoices = ["auto", "always", "never"] as const;

/**
 * Which streams of one run of the program get colours. --color decides if it was given. If not, a terminal gets them unless
 * NO_COLOR is set to anything (https://no-color.org), FORCE_COLOR is 0 or false, or TERM is dumb and FORCE_COLOR does not
 * say otherwise; what is not a terminal never does, so that no setting of a shell changes what scripts read.
 */
export class Colours {
  readonly #env: Environment;
  #choice: (typeof colourChoices)[number] = "auto";
  /** The control sequences that this run of the program may write. */
  readonly codes: OwnCodes;

  constructor(env: Environment, random: Random) {
    this.#env = env;
    this.codes = new OwnCodes(random);
  }

  /** Sets the value of --color. Throws for an unknown value. */
  choose(value: string): void {
    const choice = colourChoices.find((one) => one === value);
    if (choice === undefined) throw new Error(`invalid --color ${JSON.stringify(value)}: use auto, always or never`);
    this.#choice = choice;
  }

  on(stream: Terminal): boolean {
    return this.#choice === "auto" ? stream.isTTY === true && wantedBy(this.#env) : this.#choice === "always";
  }

  /**
   * Whether a terminal shows UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is set says so. Where none is, it does: containers,
   * services and Windows set none, and the terminals that they are used from have UTF-8; ASCII would lose names and logs there.
   */
  get utf8(): boolean {
    const { LC_ALL, LC_CTYPE, LANG } = this.#env;
    const locale = LC_ALL || LC_CTYPE || LANG || "";
    return locale === "" || /utf-?8/i.test(locale);
  }

  /** The text that stands where a line is cut: three dots in a locale without UTF-8. */
  get ellipsis(): string {
    return this.utf8 ? "…" : "...";
  }

  /** Marks a control sequence of the program as its own, so that the stream lets it pass. */
  code(stream: Terminal, sequence: string): string {
    return stream.isTTY === true ? this.codes.marked(sequence) : sequence;
  }
}

function wantedBy({ NO_COLOR, FORCE_COLOR, TERM }: Environment): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return TERM !== "dumb";
}

/**
 * Returns how text is shown on a stream; with `fit` tables are cut to the width that the terminal has when they are written. The code that
 * paints is loaded only when it is used.
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
