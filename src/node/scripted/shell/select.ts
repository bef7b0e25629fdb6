import type { BuiltinCall } from "./builtins/builtin.js";
import { writeText } from "./builtins/builtin-output.js";
import { readLine } from "./builtins/builtin-read.js";
import { widthOf } from "./line-editor.js";

const PROMPT = "#? ";
const COLUMNS = 80;
const TAB = 8;
/** Behind the number of a choice, and behind the choice. */
const PARENTHESIS = ") ";
const GAP = 2;

/** What one run of the body has come to. */
interface Iteration {
  readonly code: number;
  readonly stop: boolean;
}

/**
 * Asks which of the values is meant and runs the body with it, again and again, until the body leaves the loop or the input ends. The menu is
 * shown at first and whenever nothing was answered.
 */
export async function choose(
  call: Pick<BuiltinCall, "shell" | "streams" | "line" | "tested">,
  name: string,
  values: readonly string[],
  body: () => Promise<Iteration>,
): Promise<number> {
  const { shell, streams } = call;
  if (values.length === 0) return 0;
  for (let answer = ""; ; answer = shell.parameter("REPLY") ?? "") {
    const { held } = shell;
    if (answer === "") await writeText(menu(values, screenWidth(call)), streams.stderr, shell.io);
    await writeText([shell.parameter("PS3") ?? PROMPT], streams.stderr, shell.io);
    if ((await readLine({ ...call, args: [], declarations: [] })) !== 0) {
      await writeText(["\n"], streams.stdout, shell.io);
      return 1;
    }
    const reply = (shell.parameter("REPLY") ?? "").trim();
    if (shell.parameter("REPLY") !== "") {
      shell.assign(name, (/^\+?\d+$/.test(reply) ? values[Number(reply) - 1] : undefined) ?? "");
      const { code, stop } = await body();
      if (stop) return code;
    }
    shell.giveBackTo(held);
  }
}

function screenWidth({ shell }: Pick<BuiltinCall, "shell">): number {
  const columns = Number(shell.parameter("COLUMNS"));
  return columns > 0 ? columns : (shell.io.terminal?.size.width ?? COLUMNS);
}

/** The numbered values, in as many columns as fit; one is filled before the next. */
function* menu(values: readonly string[], width: number): Generator<string, void> {
  const digits = String(values.length).length;
  let longest = 0;
  for (const value of values) longest = Math.max(longest, widthOf(value));
  const columnWidth = digits + PARENTHESIS.length + longest + GAP;
  const most = Math.max(1, Math.floor(width / columnWidth));
  const filled = Math.ceil(values.length / most);
  const rows = filled === 1 ? values.length : filled;
  for (let row = 0; row < rows; row += 1) {
    for (let [index, start] = [row, 0]; index < values.length; index += rows, start += columnWidth) {
      const number = String(index + 1).padStart(index < rows ? String(rows).length : digits);
      const item = `${number}${PARENTHESIS}${values[index] ?? ""}`;
      yield item;
      if (index + rows < values.length) yield blanks(start + widthOf(item), start + columnWidth);
    }
    yield "\n";
  }
}

/** From one column to another, by tabs where there is a stop between them. */
function blanks(from: number, to: number): string {
  let [text, at] = ["", from];
  while (at < to) {
    const stop = (Math.floor(at / TAB) + 1) * TAB;
    text += stop <= to ? "\t" : " ";
    at = stop <= to ? stop : at + 1;
  }
  return text;
}
