import { dictionary } from "../../../base/collections/dictionary.js";
import { sliceIsSpent } from "../../../base/async/time-slice.js";
import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import type { FileNode } from "../files/node.js";
import type { Program, ProgramIo } from "../program.js";
import { giveWay } from "../slices.js";
import { errnoText, gnuProgram, type ParsedOptions, ProgramFailure, UsageError } from "./gnu-program.js";
import { baseName } from "./options.js";
import { groupId, userId } from "./users.js";

const LONG = {
  recursive: "R",
  "no-dereference": "h",
  verbose: "v",
  quiet: "f",
  silent: "f",
  changes: "c",
  reference: "r:",
};

function checkOperands([first, second]: readonly string[]): void {
  if (first === undefined) throw new UsageError("missing operand");
  if (second === undefined) throw new UsageError(`missing operand after '${first}'`);
}

/** Changes each file, and with -R all that lies in it. Answers the exit code. */
async function change(
  io: ProgramIo,
  { has }: ParsedOptions,
  files: readonly string[],
  attribute: "permissions" | "ownership" | "group",
  act: (node: FileNode) => void,
): Promise<number> {
  let code = 0;
  for (const file of files) {
    try {
      const waiting = [absolute(io.cwd, file)];
      for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
        const node = io.files.findToChange(path, { follow: !has("h") });
        if (node.kind === "directory" && has("R")) {
          for (const [name, entry] of io.files.entriesAt(path, node))
            if (entry.kind !== "link") waiting.push(`${path}/${name}`);
        }
        act(node);
        if (sliceIsSpent()) await giveWay(io);
      }
    } catch (error) {
      const message = errnoText(error);
      code = 1;
      const isRefused = error instanceof FileError && error.code === "EROFS";
      const what = isRefused ? `changing ${attribute} of` : "cannot access";
      if (!has("f")) await io.stderr.write(`${baseName(io.name)}: ${what} '${file}': ${message}\n`);
    }
  }
  return code;
}

/** chown: stores the owner, which is shown; yet every program of a container runs as root. */
export const chown: Program = gnuProgram({ letters: "RhvcfHLP", long: LONG }, async (io, options) => {
  checkOperands(options.operands);
  const [owner = "", ...files] = options.operands;
  const [user = "", group] = owner.split(/[:.](.*)/s);
  const uid = user === "" ? undefined : userId(io, user);
  if (user !== "" && uid === undefined) throw new ProgramFailure(`invalid user: '${owner}'`);
  const gid = group === undefined || group === "" ? undefined : groupId(io, group);
  if (group !== undefined && group !== "" && gid === undefined) throw new ProgramFailure(`invalid group: '${owner}'`);
  return change(io, options, files, "ownership", (node) => {
    if (uid !== undefined) node.uid = uid;
    if (gid !== undefined) node.gid = gid;
  });
});

export const chgrp: Program = gnuProgram({ letters: "RhvcfHLP", long: LONG }, async (io, options) => {
  checkOperands(options.operands);
  const [group = "", ...files] = options.operands;
  const gid = groupId(io, group);
  if (gid === undefined) throw new ProgramFailure(`invalid group: '${group}'`);
  return change(io, options, files, "group", (node) => {
    node.gid = gid;
  });
});

/** chmod with octal and symbolic modes, and -R. */
export const chmod: Program = async (io) => {
  // A mode such as "-x" is no option.
  const args = io.args.map((arg) => (/^-[rwxXst]+$/.test(arg) ? `a${arg}` : arg));
  const run = gnuProgram({ letters: "Rvcf", long: LONG }, async (inner, options) => {
    checkOperands(options.operands);
    const [mode = "", ...files] = options.operands;
    const changed = modeChange(mode);
    if (changed === undefined) throw new UsageError(`invalid mode: '${mode}'`);
    return change(inner, options, files, "permissions", (node) => {
      node.mode = changed(node.mode, node.kind === "directory");
    });
  });
  return run({
    ...io,
    args,
    get files() {
      return io.files;
    },
  });
};

const SHIFTS: Readonly<Record<string, number>> = dictionary({ u: 6, g: 3, o: 0 });

/** Parses a mode, and returns a function that applies it to another mode; undefined for an invalid one. */
export function modeChange(text: string): ((mode: number, isDirectory: boolean) => number) | undefined {
  if (/^[0-7]{1,5}$/.test(text)) return () => Number.parseInt(text, 8) & 0o7777;
  if (!/^[ugoa]*(?:[-+=](?:[rwxXst]*|[ugo]))+(?:,[ugoa]*(?:[-+=](?:[rwxXst]*|[ugo]))+)*$/.test(text)) return undefined;
  return (before, isDirectory) => {
    let mode = before;
    for (const clause of text.split(",")) {
      const named = /^[ugoa]*/.exec(clause)?.[0] ?? "";
      const who = named === "" || named.includes("a") ? "ugo" : named;
      for (const [, operator, letters = ""] of clause.matchAll(/([-+=])([rwxXstugo]*)/g)) {
        let bits = 0;
        let special = 0;
        for (const letter of letters) {
          const copied = SHIFTS[letter];
          if (copied !== undefined) bits |= (mode >> copied) & 7;
          else if (letter === "r") bits |= 4;
          else if (letter === "w") bits |= 2;
          else if (letter === "x" || (letter === "X" && (isDirectory || (mode & 0o111) !== 0))) bits |= 1;
          else if (letter === "s") special |= (who.includes("u") ? 0o4000 : 0) | (who.includes("g") ? 0o2000 : 0);
          else if (letter === "t") special |= 0o1000;
        }
        let chosen = special;
        let all = 0;
        for (const one of who) {
          chosen |= bits << (SHIFTS[one] ?? 0);
          all |= 7 << (SHIFTS[one] ?? 0);
        }
        if (operator === "+") mode |= chosen;
        else if (operator === "-") mode &= ~chosen;
        else mode = (mode & ~all) | chosen;
      }
    }
    return mode;
  };
}

/** truncate -s with an absolute size, +N or -N. */
export const truncate: Program = gnuProgram(
  { letters: "cs:", long: { size: "s", "no-create": "c" } },
  async (io, { has, operands, value }) => {
    const text = value("s");
    if (text === undefined) throw new UsageError("you must specify either '--size' or '--reference'");
    if (operands.length === 0) throw new UsageError("missing file operand");
    const [, sign = "", digits, unit = ""] = /^([-+]?)(\d+)([kKMG]?)$/.exec(text) ?? [];
    if (digits === undefined) throw new ProgramFailure(`Invalid number: '${text}'`);
    const amount = Number(digits) * ({ k: 1024, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }[unit] ?? 1);
    let code = 0;
    for (const operand of operands) {
      const path = absolute(io.cwd, operand);
      const node = io.files.look(path);
      if (node === undefined && has("c")) continue;
      try {
        const length = node?.kind === "file" ? node.content.size : 0;
        const size = Math.max(0, sign === "+" ? length + amount : sign === "-" ? length - amount : amount);
        if (size < length) {
          const kept = io.files.content(path, length)?.subarray(0, size) ?? Buffer.alloc(0);
          await io.files.open(path).write(Buffer.from(kept));
          continue;
        }
        const writer = io.files.open(path, { append: true });
        for (let left = size - length; left > 0; left -= ZEROS) {
          await writer.write(Buffer.alloc(Math.min(left, ZEROS)));
          if (sliceIsSpent()) await giveWay(io);
        }
      } catch (error) {
        code = 1;
        await io.stderr.write(`truncate: cannot open '${operand}' for writing: ${errnoText(error)}\n`);
      }
    }
    return code;
  },
);

/** So many zeros are written at a time. */
const ZEROS = 64 * 1024;
