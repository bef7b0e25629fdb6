import { sortSteps } from "../../../base/async/sort-steps.js";
import { sliceIsSpent } from "../../../base/async/time-slice.js";
import { withoutTrailing } from "../../../base/text/without-trailing.js";
import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import { type FileNode, sizeOf } from "../files/node.js";
import type { Program, ProgramInput, ProgramIo, ProgramOutput } from "../program.js";
import { giveWay, workInSlices } from "../slices.js";
import { BLOCK, encodeHeader, TarFormatError, type TarHeader, TarHeaderReader } from "./tar-header.js";

/** What GNU tar writes at a time: archives end at a multiple of it. */
const RECORD = 20 * BLOCK;
const FATAL = 2;

interface Options {
  readonly mode: "c" | "x" | "t" | undefined;
  readonly archive: string;
  readonly folder: string;
  readonly keepTimes: boolean;
  readonly verbose: boolean;
  readonly operands: readonly string[];
}

/** tar c, x and t, from and to "-" or a file, with -C, -m, -v; the options of owners and permissions have no effect. */
export const tar: Program = async (io) => {
  const options = optionsOf(io.args);
  if (options.mode === undefined) {
    await io.stderr.write("tar: You must specify one of the '-Acdtrux' options\n");
    return FATAL;
  }
  try {
    return options.mode === "c" ? await create(io, options) : await extract(io, options);
  } catch (error) {
    if (!(error instanceof TarFormatError) && !(error instanceof FileError)) throw error;
    const place = error instanceof FileError ? `${error.path}: ` : "";
    await io.stderr.write(`tar: ${place}${error.message}\ntar: Error is not recoverable: exiting now\n`);
    return FATAL;
  }
};

function optionsOf(args: readonly string[]): Options {
  let mode: Options["mode"];
  let archive = "-";
  let folder = ".";
  let keepTimes = true;
  let verbose = false;
  const operands: string[] = [];
  const rest = [...args];
  // The first word may be options without a dash.
  if (rest[0] !== undefined && !rest[0].startsWith("-")) rest[0] = `-${rest[0]}`;
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      operands.push(...rest);
      break;
    }
    if (arg.startsWith("--")) {
      const [name, value] = arg.split("=", 2);
      if (name === "--directory") folder = value ?? rest.shift() ?? ".";
      else if (name === "--file") archive = value ?? rest.shift() ?? "-";
      else if (name === "--touch") keepTimes = false;
      continue;
    }
    if (!arg.startsWith("-") || arg === "-") {
      operands.push(arg);
      continue;
    }
    for (let at = 1; at < arg.length; at += 1) {
      const letter = arg[at];
      if (letter === "c" || letter === "x" || letter === "t") mode = letter;
      else if (letter === "m") keepTimes = false;
      else if (letter === "v") verbose = true;
      else if (letter === "f" || letter === "C") {
        const value = arg.slice(at + 1) || (rest.shift() ?? "");
        if (letter === "f") archive = value;
        else folder = value;
        break;
      }
    }
  }
  return { mode, archive, folder, keepTimes, verbose, operands };
}

async function create(io: ProgramIo, { archive, folder, verbose, operands }: Options): Promise<number> {
  const writer = archive === "-" ? undefined : io.files.open(absolute(io.cwd, archive));
  const output = new CountedOutput(
    writer === undefined
      ? io.stdout
      : { write: (data) => writer.write(typeof data === "string" ? Buffer.from(data) : data) },
  );
  const base = absolute(io.cwd, folder);
  let failed = false;
  let announced = false;
  for (const operand of operands) {
    const trimmed = withoutTrailing(operand, "/");
    const name = trimmed.replace(/^\/+/, "");
    if (name !== trimmed && !announced) {
      announced = true;
      await io.stderr.write("tar: Removing leading `/' from member names\n");
    }
    const path = absolute(base, operand);
    const node = io.files.look(path, { follow: false });
    if (node === undefined) {
      failed = true;
      await io.stderr.write(`tar: ${operand}: Cannot stat: No such file or directory\n`);
    } else await writeTree(io, output, path, name === "" ? "." : name, node, verbose);
  }
  await output.finish();
  if (failed) await io.stderr.write("tar: Exiting with failure status due to previous errors\n");
  return failed ? FATAL : 0;
}

async function writeTree(
  io: ProgramIo,
  output: CountedOutput,
  path: string,
  name: string,
  node: FileNode,
  verbose: boolean,
): Promise<void> {
  const regular = node.kind === "file" || (node.kind === "device" && node.size !== undefined);
  if (!regular && node.kind === "device") return;
  if (verbose) await io.stderr.write(`${name}${node.kind === "directory" ? "/" : ""}\n`);
  const size = regular ? sizeOf(node) : 0;
  const type = regular ? "file" : node.kind === "directory" ? "directory" : "link";
  const target = node.kind === "link" ? node.target : "";
  await output.write(encodeHeader({ name, type, size, mode: node.mode, mtime: node.mtime, target }));
  if (regular) await writeContent(io, output, path, size);
  if (node.kind !== "directory") return;
  const entries = await workInSlices(
    sortSteps([...io.files.entriesAt(path, node)], ([a], [b]) => (a < b ? -1 : 1)),
    io,
  );
  for (const [entry, child] of entries) {
    if (sliceIsSpent()) await giveWay(io);
    await writeTree(io, output, `${path}/${entry}`, `${name}/${entry}`, child, verbose);
  }
}

/** The content as long as the header says: a file may change while it is read. */
async function writeContent(io: ProgramIo, output: CountedOutput, path: string, size: number): Promise<void> {
  let left = size;
  for await (const chunk of io.files.read(path)) {
    const part = chunk.subarray(0, left);
    await output.write(part);
    left -= part.length;
    if (left === 0) break;
  }
  while (left > 0) {
    const padding = Math.min(left, ZEROS.length);
    await output.write(ZEROS.subarray(0, padding));
    left -= padding;
  }
  await output.write(ZEROS.subarray(0, (BLOCK - (size % BLOCK)) % BLOCK));
}

const ZEROS = new Uint8Array(RECORD);

class CountedOutput {
  #written = 0;

  constructor(private readonly output: ProgramOutput) {}

  async write(chunk: Uint8Array): Promise<void> {
    this.#written += chunk.length;
    if (chunk.length > 0) await this.output.write(chunk);
  }

  /** Two empty blocks, and more to the end of the record. */
  async finish(): Promise<void> {
    const end = Math.ceil((this.#written + 2 * BLOCK) / RECORD) * RECORD;
    await this.write(ZEROS.subarray(0, end - this.#written));
  }
}

async function extract(io: ProgramIo, { archive, folder, keepTimes, verbose, mode }: Options): Promise<number> {
  const base = absolute(io.cwd, folder);
  if (mode === "x" && io.files.look(base)?.kind !== "directory") {
    await io.stderr.write(
      `tar: ${folder}: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now\n`,
    );
    return FATAL;
  }
  const source = archive === "-" ? io.stdin : inputOf(io.files.read(absolute(io.cwd, archive)));
  const input = new BlockInput(source);
  const headers = new TarHeaderReader();
  let failed = false;
  for (let header = await headers.next((length) => input.read(length)); header !== undefined; ) {
    if (sliceIsSpent()) await giveWay(io);
    input.expect(header.type === "directory" || header.type === "link" ? 0 : header.size);
    if (mode === "t" || verbose) await io.stdout.write(`${header.name}\n`);
    try {
      if (mode === "x") await extractEntry(io, base, header, input, keepTimes);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      failed = true;
      await io.stderr.write(`tar: ${header.name}: Cannot open: ${error.message}\n`);
    }
    await input.skipRest();
    header = await headers.next((length) => input.read(length));
  }
  // The writer is not left with a broken pipe.
  await input.drain();
  if (failed) await io.stderr.write("tar: Exiting with failure status due to previous errors\n");
  return failed ? FATAL : 0;
}

async function extractEntry(
  io: ProgramIo,
  base: string,
  header: TarHeader,
  input: BlockInput,
  keepTimes: boolean,
): Promise<void> {
  const name = withoutTrailing(header.name.replace(/^\/+/, ""), "/");
  if (name.split("/").includes("..")) {
    await io.stderr.write(`tar: ${header.name}: Member name contains '..'\n`);
    throw new FileError("EINVAL", header.name);
  }
  const path = `${base}/${name}`;
  const above = path.slice(0, path.lastIndexOf("/"));
  if (header.type === "directory") {
    io.files.makeDirectory(path, { recursive: true, mode: header.mode });
  } else {
    io.files.makeDirectory(above, { recursive: true });
    io.files.remove(path, { force: true });
    if (header.type === "link") io.files.symlink(header.target, path);
    else if (header.type === "file") {
      const writer = io.files.open(path, { mode: header.mode });
      for await (const chunk of input.content()) await writer.write(chunk);
    }
  }
  const node = io.files.look(path, { follow: false, toWrite: true });
  if (node !== undefined && keepTimes) node.mtime = header.mtime;
}

function inputOf(chunks: AsyncGenerator<Uint8Array, void, undefined>): Pick<ProgramInput, "read"> {
  return { read: async () => (await chunks.next()).value ?? undefined };
}

/** An archive as blocks and contents. */
class BlockInput {
  #rest: Uint8Array = new Uint8Array();
  #content = 0;
  #padding = 0;

  constructor(private readonly source: Pick<ProgramInput, "read">) {}

  /** So many bytes; undefined at the end of input. */
  async read(length: number): Promise<Buffer | undefined> {
    const pieces: Uint8Array[] = [];
    for (let left = length; left > 0; ) {
      const piece = await this.#take(left);
      if (piece === undefined) {
        if (pieces.length === 0) return undefined;
        throw new TarFormatError("Unexpected EOF in archive");
      }
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  /** What follows is a content of so many bytes. */
  expect(size: number): void {
    this.#content = size;
    this.#padding = (BLOCK - (size % BLOCK)) % BLOCK;
  }

  async *content(): AsyncGenerator<Uint8Array, void, undefined> {
    while (this.#content > 0) {
      const piece = await this.#take(this.#content);
      if (piece === undefined) throw new TarFormatError("Unexpected EOF in archive");
      this.#content -= piece.length;
      yield piece;
    }
  }

  async skipRest(): Promise<void> {
    for (let left = this.#content + this.#padding; left > 0; ) {
      const piece = await this.#take(left);
      if (piece === undefined) throw new TarFormatError("Unexpected EOF in archive");
      left -= piece.length;
    }
    this.#content = 0;
    this.#padding = 0;
  }

  async drain(): Promise<void> {
    while ((await this.#take(RECORD)) !== undefined);
  }

  /** At most so many bytes. */
  async #take(most: number): Promise<Uint8Array | undefined> {
    if (this.#rest.length === 0) this.#rest = (await this.source.read()) ?? this.#rest;
    if (this.#rest.length === 0) return undefined;
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(most);
    return piece;
  }
}
