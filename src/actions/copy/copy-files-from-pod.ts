import { append } from "../../base/collections/append.js";
import { fillFile, TargetFolder } from "./archive/target-folder.js";
import { checksumOf } from "./archive/posix-checksum.js";
import { readPieces } from "./archive/local-files.js";
import { goQuote } from "../../base/text/go-quote.js";
import { errorCode } from "../../base/files/path-error.js";
import type { CopyFromPodOptions } from "./copy-from-pod.js";
import { execInPod, type ExecPlace, findExecPlace } from "./exec-in-pod.js";
import { RemoteProgram } from "./remote-program.js";
import { remoteText, shell } from "./remote-text.js";

/** Prints what a path is: `f` a file, `d` a folder. It may be a link. */
const TYPE = `
if [ -d "$1" ]; then echo d
elif [ -e "$1" ]; then echo f
else echo "$1: No such file or directory" >&2; exit 1
fi`;

/** Prints the type of each file in a folder and its path, with a NUL behind: `f` file, `d` folder, `l` link, `s` anything else. */
const LIST = String.raw`
for f in "$1"/* "$1"/.[!.]* "$1"/..?*; do
  if [ -h "$f" ]; then printf 'l%s\0' "$f"
  elif [ -d "$f" ]; then printf 'd%s\0' "$f"
  elif [ -f "$f" ]; then printf 'f%s\0' "$f"
  elif [ -e "$f" ]; then printf 's%s\0' "$f"
  fi
done`;

/** The checksum of the first bytes of a file, and its size. */
const CHECK = 'head -c "$2" <"$1" | cksum && wc -c <"$1"';

export interface CopyFilesFromPodOptions extends CopyFromPodOptions {
  /** Files that are there as far as they go are continued, and those that are whole are left. */
  readonly resume: boolean;
}

/** Copies file by file, by the container's shell and its cat: an image without tar will do. */
export async function copyFilesFromPod(options: CopyFilesFromPodOptions): Promise<void> {
  const { target, source, destination, messages, signal, resume } = options;
  const err = (chunk: Uint8Array): Promise<void> => messages.err(chunk);
  const place = await findExecPlace(target, (line) => void messages.err(`${line}\n`));
  const type = await remoteText(place, shell(TYPE, source), err, signal);
  const folder = new TargetFolder(destination, options);
  const entries = [`${type.trim()}${source}`];
  for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
    const name = entry.slice(1);
    if (!name.startsWith(source)) throw new Error("the container lists a file that it was not asked for");
    const { path, inside } = folder.place(name.slice(source.length));
    if (!inside) {
      await messages.err(`warning: file ${goQuote(path)} is outside target destination, skipping\n`);
    } else if (entry.startsWith("d")) {
      await folder.makeFolder(path);
      const listed = await remoteText(place, shell(LIST, name), err, signal);
      // The last one is taken next: files come in their order, each folder's before what follows the folder.
      append(entries, listed.split("\0").slice(0, -1).reverse());
    } else if (entry.startsWith("l")) {
      await messages.err(`warning: skipping symlink: ${goQuote(path)}\n`);
    } else if (entry.startsWith("s")) {
      await messages.err(`warning: skipping device or pipe: ${goQuote(path)}\n`);
    } else {
      await copyFile(place, { name, path, folder, resume }, options);
    }
  }
}

interface CopiedFile {
  /** In the container. */
  readonly name: string;
  readonly path: string;
  readonly folder: TargetFolder;
  readonly resume: boolean;
}

async function copyFile(place: ExecPlace, file: CopiedFile, options: CopyFilesFromPodOptions): Promise<void> {
  const { name, path, folder } = file;
  const { messages, signal } = options;
  const begun = file.resume ? await begunPart(place, file, options) : undefined;
  if (begun === "whole") return;
  const from = begun ?? 0;
  const command = from === 0 ? ["cat", name] : ["tail", "-c", `+${from + 1}`, name];
  const stderr = (chunk: Uint8Array): Promise<void> => messages.err(chunk);
  const program = new RemoteProgram((stdout, stop) => execInPod(place, command, { stdout, stderr }, stop), signal);
  try {
    const local = from === 0 ? await folder.createFile(path) : await folder.openFile(path, "append");
    await fillFile(local, { path, size: SIZE_UNKNOWN }, chunksOf(program), (written) =>
      messages.progress(path, from + written),
    );
  } finally {
    program.stop();
  }
}

const SIZE_UNKNOWN = 64 * 1024;

async function* chunksOf(program: RemoteProgram): AsyncGenerator<Uint8Array, void> {
  for (let chunk = await program.next(); chunk !== undefined; chunk = await program.next()) yield chunk;
}

/** How much of the file is there already, with the same bytes. */
async function begunPart(
  place: ExecPlace,
  { name, path, folder }: CopiedFile,
  { messages, signal }: CopyFilesFromPodOptions,
): Promise<number | "whole" | undefined> {
  const local = await folder.openFile(path).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (local === undefined) return undefined;
  try {
    const { size } = await local.stat();
    const stderr = (chunk: Uint8Array): Promise<void> => messages.err(chunk);
    const answer = await remoteText(place, shell(CHECK, name, String(size)), stderr, signal);
    const lines = answer.split("\n").map((line) => line.trim());
    const [sum = "", whole = ""] = lines.filter((line) => line !== "");
    if (sum !== (await checksumOf(readPieces(local, { path, to: size }), size))) return undefined;
    return Number(whole) === size ? "whole" : size;
  } finally {
    await local.close();
  }
}
