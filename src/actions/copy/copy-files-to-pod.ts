import { open } from "node:fs/promises";
import { posix, resolve } from "node:path";
import { checksumOf } from "./archive/posix-checksum.js";
import { type LocalFile, localFiles, readPieces } from "./archive/local-files.js";
import { goQuote } from "../../base/text/go-quote.js";
import { PathError } from "../../base/files/path-error.js";
import { cleaned, type CopyToPodOptions, finalPlace, requireSource } from "./copy-to-pod.js";
import { execInPod, type ExecPlace, findExecPlace } from "./exec-in-pod.js";
import { remoteText, shell } from "./remote-text.js";

/** Writes stdin into a file, or behind its end; sets its permissions where the image can. */
const WRITE =
  '[ -d "$1" ] || mkdir -p "$1" || exit; cat >"$2" || exit; [ -z "$3" ] || chmod "$3" "$2" 2>/dev/null || :';
const APPEND = WRITE.replace("cat >", "cat >>");
const FOLDER = '[ -d "$1" ] || mkdir -p "$1"';

/** The checksum of a file, with its size; nothing where there is none. */
const CHECK = '[ ! -f "$1" ] || cksum <"$1"';

export interface CopyFilesToPodOptions extends CopyToPodOptions {
  /** Files that are there as far as they go are continued, and those that are whole are left. */
  readonly resume: boolean;
}

/** Copies file by file, by the container's shell and its cat: an image without tar will do. */
export async function copyFilesToPod(options: CopyFilesToPodOptions): Promise<void> {
  const { source, target, cwd, messages, signal } = options;
  await requireSource(source, cwd);
  const destination = await finalPlace(options);
  const place = await findExecPlace(target, (line) => void messages.err(`${line}\n`));
  for await (const file of localFiles(cleaned(source), destination, cwd)) {
    if (file.type === "file") await copyFile(place, file, options);
    else if (file.type === "directory")
      await remoteText(place, shell(FOLDER, file.name), (text) => messages.err(text), signal);
    else if (file.type === "symlink") await messages.err(`warning: skipping symlink: ${goQuote(file.path)}\n`);
    else await messages.err(`warning: skipping device or pipe: ${goQuote(file.path)}\n`);
  }
}

async function copyFile(
  place: ExecPlace,
  { path, name, found }: LocalFile,
  options: CopyFilesToPodOptions,
): Promise<void> {
  const { cwd, messages, noPreserve, resume, signal } = options;
  const stderr = (chunk: Uint8Array): Promise<void> => messages.err(chunk);
  const local = await open(resolve(cwd, path), "r").catch((error: unknown) => {
    throw new PathError("open", path, error);
  });
  try {
    const there = resume ? await remoteText(place, shell(CHECK, name), stderr, signal) : "";
    const size = Number(there.trim().split(/\s+/)[1] ?? "0");
    const begun =
      size > 0 &&
      size <= found.size &&
      (await checksumOf(readPieces(local, { path, to: size }), size)) === there.trim();
    if (begun && size === found.size) return;
    const from = begun ? size : 0;
    const mode = noPreserve ? "" : (found.mode & 0o777).toString(8);
    const command = shell(from === 0 ? WRITE : APPEND, posix.dirname(name), name, mode);
    await execInPod(
      place,
      command,
      { stdin: told(readPieces(local, { path, from, to: found.size }), from), stderr, stdout: stderr },
      signal,
    );
  } finally {
    await local.close();
  }

  async function* told(chunks: AsyncIterable<Uint8Array>, from: number): AsyncGenerator<Uint8Array, void> {
    let done = from;
    for await (const chunk of chunks) {
      yield chunk;
      done += chunk.length;
      messages.progress(path, done, found.size);
    }
    if (done < found.size) throw new Error(`${path} became shorter while it was copied`);
  }
}
