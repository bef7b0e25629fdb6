import { dictionary } from "../../../../base/collections/dictionary.js";
import { FileError } from "../../files/file-error.js";
import type { Program } from "../../program.js";
import { sliceIsSpent } from "../../../../base/async/time-slice.js";
import { giveWay } from "../../slices.js";
import { errnoText, gnuProgram, ProgramFailure, UsageError } from "../gnu-program.js";
import { eachLine, latin, LineReader, readEach, TextOutput } from "../latin-text.js";
import { contentOf } from "../options.js";

/** What a line that is kept takes beside its bytes. */
const LINE_BYTES = 64;

export const rev: Program = gnuProgram({ letters: "0" }, (io, { operands }) => {
  const out = new TextOutput(io.stdout);
  return readEach(
    io,
    operands,
    out,
    (reader) =>
      eachLine(io, reader, async (line) => {
        await out.write(line.split("").reverse().join("") + (reader.isUnended ? "" : "\n"));
      }),
    { refusal: (operand) => `cannot open ${operand}` },
  );
});

export const tac: Program = gnuProgram({ letters: "" }, (io, { operands }) => {
  const out = new TextOutput(io.stdout);
  return readEach(
    io,
    operands,
    out,
    async (reader) => {
      const lines: string[] = [];
      let held = 0;
      await eachLine(io, reader, (line) => {
        const bytes = LINE_BYTES + line.length;
        io.memory.take(bytes);
        held += bytes;
        lines.push(reader.isUnended ? line : `${line}\n`);
      });
      for (const line of lines.reverse()) {
        await out.write(line);
        if (sliceIsSpent()) await giveWay(io);
      }
      io.memory.give(held);
    },
    { refusal: (operand) => `failed to open '${operand}' for reading` },
  );
});

/** nl with -b a|t|n, -w, -s, -v, -i and -n. */
export const nl: Program = gnuProgram(
  {
    letters: "b:w:s:v:i:n:",
    long: {
      "body-numbering": "b",
      "number-width": "w",
      "number-separator": "s",
      "starting-line-number": "v",
      "line-increment": "i",
      "number-format": "n",
    },
  },
  (io, { operands, value }) => {
    const style = value("b") ?? "t";
    if (!/^[atn]$/.test(style)) throw new UsageError(`invalid body numbering style: '${style}'`);
    const width = Math.min(1024, Number(value("w") ?? 6));
    const separator = latin(value("s") ?? "\t");
    const format = value("n") ?? "rn";
    let number = Number(value("v") ?? 1);
    const step = Number(value("i") ?? 1);
    const out = new TextOutput(io.stdout);
    return readEach(io, operands, out, (reader) =>
      eachLine(io, reader, async (line) => {
        if (style === "n" || (style === "t" && line === "")) {
          await out.write(`${" ".repeat(width + separator.length)}${line}\n`);
          return;
        }
        const text = String(number);
        const shown = format === "ln" ? text.padEnd(width) : text.padStart(width, format === "rz" ? "0" : " ");
        await out.write(`${shown}${separator}${line}\n`);
        number += step;
      }),
    );
  },
);

export const paste: Program = gnuProgram(
  { letters: "d:sz", long: { delimiters: "d", serial: "s", "zero-terminated": "z" } },
  async (io, { has, operands, value }) => {
    const delimiters = Array.from(
      latin(value("d") ?? "\t").replace(/\\([nt0\\])/g, (_all, char: string) => ESCAPES[char] ?? ""),
    );
    const between = (index: number): string => {
      const chosen = delimiters[index % Math.max(1, delimiters.length)] ?? "";
      return chosen === EMPTY ? "" : chosen;
    };
    const end = has("z") ? "\0" : "\n";
    const out = new TextOutput(io.stdout);
    const flush = (): Promise<void> => out.flush();
    const names = operands.length === 0 ? ["-"] : operands;
    const readers = new Map<string, LineReader>();
    const opened = names.map((name) => {
      const known = name === "-" ? readers.get("-") : undefined;
      const reader = known ?? new LineReader(contentOf(io, name), io.memory, flush, end.charCodeAt(0));
      readers.set(name, reader);
      return { name, reader };
    });
    const read = async ({ name, reader }: (typeof opened)[number]): Promise<string | undefined> => {
      try {
        return reader.ready() ?? (await reader.next());
      } catch (error) {
        throw new ProgramFailure(`${name}: ${errnoText(error)}`);
      }
    };
    if (has("s")) {
      for (const one of opened) {
        let count = 0;
        for (let line = await read(one); line !== undefined; line = await read(one)) {
          await out.write((count === 0 ? "" : between(count - 1)) + line);
          count += 1;
          if (sliceIsSpent()) await giveWay(io);
        }
        await out.write(end);
      }
    } else {
      for (;;) {
        const lines: (string | undefined)[] = [];
        for (const one of opened) lines.push(await read(one));
        if (lines.every((line) => line === undefined)) break;
        await out.write(
          lines.map((line, index) => (index === 0 ? "" : between(index - 1)) + (line ?? "")).join("") + end,
        );
        if (sliceIsSpent()) await giveWay(io);
      }
    }
    await out.flush();
    return 0;
  },
);

/** What \0 of paste's delimiters stands for: nothing. */
const EMPTY = "\0";
const ESCAPES: Readonly<Record<string, string>> = dictionary({
  n: "\n",
  t: "\t",
  "0": EMPTY,
  "\\": "\\",
});

const USUAL_WIDTH = 80;

export const fold: Program = gnuProgram(
  { letters: "bsw:", long: { bytes: "b", spaces: "s", width: "w" } },
  (io, { has, operands, value }) => {
    const text = value("w") ?? String(USUAL_WIDTH);
    if (!/^\d+$/.test(text) || Number(text) === 0) throw new ProgramFailure(`invalid number of columns: '${text}'`);
    const width = Number(text);
    const out = new TextOutput(io.stdout);
    return readEach(io, operands, out, (reader) =>
      eachLine(io, reader, async (line) => {
        let at = 0;
        while (line.length - at > width) {
          const blank = has("s") ? line.slice(at, at + width).search(/[ \t][^ \t]*$/) : -1;
          const end = at + (blank < 0 ? width : blank + 1);
          await out.write(`${line.slice(at, end)}\n`);
          at = end;
        }
        await out.write(line.slice(at) + (reader.isUnended ? "" : "\n"));
      }),
    );
  },
);

export const comm: Program = gnuProgram(
  { letters: "123z", long: { "output-delimiter": "o:", "zero-terminated": "z", total: "t", "nocheck-order": "n" } },
  async (io, { has, operands, value }) => {
    const [first, second, extra] = operands;
    if (first === undefined) throw new UsageError("missing operand");
    if (second === undefined) throw new UsageError(`missing operand after '${first}'`);
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
    const end = has("z") ? "\0" : "\n";
    const joint = latin(value("o") ?? "\t");
    const out = new TextOutput(io.stdout);
    const readers = [first, second].map(
      (name) => new LineReader(contentOf(io, name), io.memory, () => out.flush(), end.charCodeAt(0)),
    );
    const read = async (index: number): Promise<string | undefined> => {
      try {
        return readers[index]?.ready() ?? (await readers[index]?.next());
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        throw new ProgramFailure(`${operands[index] ?? ""}: ${error.message}`);
      }
    };
    const indents = [0, has("1") ? 0 : 1, Number(!has("1")) + Number(!has("2"))];
    const write = (column: number, line: string): Promise<void> | undefined =>
      has(String(column + 1)) ? undefined : out.write(joint.repeat(indents[column] ?? 0) + line + end);
    let [a, b] = [await read(0), await read(1)];
    while (a !== undefined || b !== undefined) {
      if (b === undefined || (a !== undefined && a < b)) {
        await write(0, a ?? "");
        a = await read(0);
      } else if (a === undefined || b < a) {
        await write(1, b);
        b = await read(1);
      } else {
        await write(2, a);
        [a, b] = [await read(0), await read(1)];
      }
      if (sliceIsSpent()) await giveWay(io);
    }
    await out.flush();
    return 0;
  },
);
