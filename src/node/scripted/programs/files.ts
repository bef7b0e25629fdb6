import { sortSteps } from "../../../base/async/sort-steps.js";
import { sliceIsSpent } from "../../../base/async/time-slice.js";
import { FileError } from "../files/file-error.js";
import { absolute, normalPath } from "../files/file-system.js";
import { type FileNode, sizeOf } from "../files/node.js";
import { endsAtImageFile } from "../missing.js";
import type { Program, ProgramIo } from "../program.js";
import { writeText } from "../shell/builtins/builtins.js";
import { giveWay, workInSlices } from "../slices.js";
import { baseName, forEachPath, optionsOf } from "./options.js";

const TYPE_LETTERS = { directory: "d", link: "l", file: "-", device: "c" } as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** ls with -a, -A, -l, -d and -R left out. */
export const ls: Program = async (io) => {
  const { flags, operands } = optionsOf(io.args);
  const targets = operands.length === 0 ? ["."] : operands;
  let first = true;
  const code = await forEachPath(
    io,
    targets,
    async (path, operand) => {
      const node = io.files.find(path, { follow: !flags.has("l") });
      if (node.kind !== "directory" || flags.has("d")) return io.stdout.write(row(operand, node, flags.has("l")));
      const title = targets.length > 1 ? `${first ? "" : "\n"}${operand}:\n` : "";
      first = false;
      const hidden = flags.has("a") || flags.has("A");
      const entries = [...io.files.entriesAt(path, node)].filter(([name]) => hidden || !name.startsWith("."));
      if (flags.has("a")) entries.push([".", node], ["..", node]);
      const sorted = await workInSlices(sortSteps(entries, byName), io);
      const rows = listing(title, sorted, flags.has("l"));
      return writeText(rows, (chunk) => io.stdout.write(chunk), io);
    },
    (operand) => `cannot access '${operand}'`,
  );
  return code === 0 ? 0 : 2;
};

const byName = ([a]: readonly [string, FileNode], [b]: readonly [string, FileNode]): number => (a < b ? -1 : 1);

function* listing(
  title: string,
  entries: readonly (readonly [string, FileNode])[],
  long: boolean,
): Generator<string, void> {
  yield title;
  if (long) yield `total ${entries.reduce((sum, [, one]) => sum + Math.ceil(sizeOf(one) / 1024), 0)}\n`;
  for (const [name, one] of entries) yield row(name, one, long);
}

function row(name: string, node: FileNode, long: boolean): string {
  if (!long) return `${name}\n`;
  const letters = node.mode.toString(2).padStart(9, "0").slice(-9).split("");
  const mode = letters.map((bit, index) => (bit === "1" ? "rwx"[index % 3] : "-")).join("");
  const type = node.kind === "device" && node.size !== undefined ? "-" : TYPE_LETTERS[node.kind];
  const time = new Date(node.mtime * 1000);
  const clock = `${String(time.getUTCHours()).padStart(2, "0")}:${String(time.getUTCMinutes()).padStart(2, "0")}`;
  const date = `${MONTHS[time.getUTCMonth()] ?? ""} ${String(time.getUTCDate()).padStart(2)} ${clock}`;
  const owner = (id: number): string => (id === 0 ? "root" : String(id));
  const arrow = node.kind === "link" ? ` -> ${node.target}` : "";
  return `${type}${mode} 1 ${owner(node.uid)} ${owner(node.gid)} ${String(sizeOf(node)).padStart(8)} ${date} ${name}${arrow}\n`;
}

export const mkdir: Program = (io) => {
  const { flags, operands } = optionsOf(io.args, "m");
  return forEachPath(
    io,
    operands,
    (path) => io.files.makeDirectory(path, { recursive: flags.has("p") }),
    (operand) => `cannot create directory '${operand}'`,
  );
};

export const rmdir: Program = (io) =>
  forEachPath(
    io,
    optionsOf(io.args).operands,
    (path) => io.files.remove(path, { directory: true }),
    (operand) => `failed to remove '${operand}'`,
  );

export const rm: Program = (io) => {
  const { flags, operands } = optionsOf(io.args);
  const recursive = flags.has("r") || flags.has("R");
  return forEachPath(
    io,
    operands,
    (path) => io.files.remove(path, { recursive, force: flags.has("f") }),
    (operand) => `cannot remove '${operand}'`,
  );
};

/** Where a copy goes: into `target` where it is a directory. */
function destination(io: ProgramIo, source: string, target: string): string {
  const path = absolute(io.cwd, target);
  return io.files.look(path)?.kind === "directory" ? `${path}/${baseName(source)}` : path;
}

export const mv: Program = async (io) => {
  const { operands } = optionsOf(io.args);
  const target = operands.at(-1) ?? "";
  if (operands.slice(0, -1).some((operand) => endsAtImageFile(io, operand))) return 1;
  return forEachPath(
    io,
    operands.slice(0, -1),
    (path, operand) => move(io, path, destination(io, operand, target)),
    (operand) => `cannot move '${operand}' to '${target}'`,
  );
};

/** Into another volume by a copy. */
async function move(io: ProgramIo, from: string, to: string): Promise<void> {
  const { files } = io;
  try {
    files.rename(from, to);
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "EXDEV") throw error;
    const target = files.look(to, { follow: false });
    if (target?.kind === "directory") throw new FileError("EEXIST", to);
    // What cannot be removed is not copied either.
    files.findToChange(from, { follow: false });
    if (target !== undefined) files.remove(to);
    await copy(io, from, normalPath(io.cwd, to), { recursive: true, keepsTimes: true });
    files.remove(from, { recursive: true });
  }
}

export const cp: Program = async (io) => {
  const { flags, operands } = optionsOf(io.args);
  const target = operands.at(-1) ?? "";
  if (operands.slice(0, -1).some((operand) => endsAtImageFile(io, operand))) return 1;
  const recursive = flags.has("r") || flags.has("R") || flags.has("a");
  const options = { recursive, keepsTimes: flags.has("a") || flags.has("p") };
  return forEachPath(
    io,
    operands.slice(0, -1),
    (path, operand) => copy(io, path, normalPath(io.cwd, destination(io, operand, target)), options),
    (operand) => `cannot copy '${operand}'`,
  );
};

interface CopyOptions {
  /** Folders with all that is in them, and links as links. */
  readonly recursive: boolean;
  /** The time of the last change too. */
  readonly keepsTimes: boolean;
}

async function copy(io: ProgramIo, from: string, to: string, options: CopyOptions): Promise<void> {
  const { files } = io;
  const { recursive, keepsTimes } = options;
  if (sliceIsSpent()) await giveWay(io);
  const node = files.find(from, { follow: !recursive });
  const { mtime } = node;
  if (node.kind === "directory") {
    if (!recursive) throw new FileError("EISDIR", from);
    if (`${to}/`.startsWith(`${normalPath("/", from)}/`)) throw new FileError("EINVAL", to);
    const entries = await workInSlices(sortSteps([...node.entries], byName), io);
    files.makeDirectory(to, { recursive: true, mode: node.mode });
    for (const [name] of entries) await copy(io, `${from}/${name}`, `${to}/${name}`, options);
  } else if (node.kind === "link") files.symlink(node.target, to);
  else if (node.kind === "file" && node.program !== undefined) files.install(to, node.program);
  else {
    const writer = files.open(to, { mode: node.mode });
    for await (const chunk of files.read(from)) await writer.write(chunk);
  }
  if (keepsTimes && node.kind !== "link") files.findToChange(to).mtime = mtime;
}

export const ln: Program = async (io) => {
  const { flags, operands } = optionsOf(io.args);
  const [target = "", path = baseName(target)] = operands;
  if (!flags.has("s")) throw new Error("hard links are not supported");
  return forEachPath(
    io,
    [path],
    (at) => {
      if (flags.has("f")) io.files.remove(at, { force: true });
      io.files.symlink(target, destination(io, target, at));
    },
    (operand) => `failed to create symbolic link '${operand}'`,
  );
};

export const touch: Program = (io) =>
  forEachPath(
    io,
    optionsOf(io.args).operands,
    (path) => {
      if (io.files.look(path) === undefined) io.files.open(path);
      else io.files.findToChange(path).mtime = Math.floor(io.clock.now() / 1000);
    },
    (operand) => `cannot touch '${operand}'`,
  );

/** stat: -c with %s, %a, %n and %F; without -c it prints the size. */
export const stat: Program = (io) => {
  const { values, operands } = optionsOf(io.args, "c");
  return forEachPath(
    io,
    operands,
    async (path, operand) => {
      const node = io.files.find(path, { follow: false });
      const shown: Readonly<Record<string, string>> = {
        s: String(sizeOf(node)),
        a: node.mode.toString(8),
        n: operand,
        F: { directory: "directory", file: "regular file", link: "symbolic link", device: "character special file" }[
          node.kind
        ],
        Y: String(node.mtime),
      };
      await io.stdout.write(
        `${(values["c"] ?? "%s").replace(/%([sanFY])/g, (_whole, letter: string) => shown[letter] ?? "")}\n`,
      );
    },
    (operand) => `cannot stat '${operand}'`,
  );
};
