import { readTar, type TarEntry } from "../../../machinery/wire/tar/read-tar.js";
import { fillFile, TargetFolder } from "./target-folder.js";
import { readPieces } from "./local-files.js";

/** An entry that is not extracted. */
export interface SkippedEntry {
  readonly reason: "outside" | "symlink" | "hardlink" | "special";
  /** Where it would be. */
  readonly path: string;
  /** The target of a link. */
  readonly linkName: string;
}

export interface ExtractOptions {
  /** Names of entries begin with it; what follows is the name below the destination. */
  readonly prefix: string;
  /** A file or a folder, as the user gave it. What is missing above it is made. */
  readonly destination: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** Awaited: an archive of many entries to skip waits for its reader. */
  readonly onSkipped: (entry: SkippedEntry) => Promise<void> | void;
  /** Called for each piece that is written: the file, how much of it there is, and how much there will be. */
  readonly onProgress?: ((path: string, written: number, size: number) => void) | undefined;
}

/**
 * Writes the files and folders of a tar archive below a destination, as their bytes arrive. Nothing outside of it is written,
 * whatever the entries are called and whatever links lie there; links, devices and FIFOs are not made. Files get the permissions of
 * new files, never those of the archive. A second name of a file (a hard link) becomes a copy. Throws a TarError for a damaged archive, an
 * UnsafeTargetError for a place that is not written to, and a PathError for what the system refuses; then files that were
 * complete stay, and the last one has what had arrived. Resolves with the number of entries.
 */
export async function extractArchive(chunks: AsyncIterable<Uint8Array>, options: ExtractOptions): Promise<number> {
  const target = new TargetFolder(options.destination, options);
  let count = 0;
  for await (const entry of readTar(chunks)) {
    await extract(entry, target, options);
    count += 1;
  }
  return count;
}

async function extract({ header, content }: TarEntry, target: TargetFolder, options: ExtractOptions): Promise<void> {
  const { prefix, onSkipped, onProgress } = options;
  const { name, type, linkName } = header;
  // The container's tar was asked for what the prefix names.
  if (!name.startsWith(prefix)) throw new Error("tar contents corrupted");
  const { path, inside } = target.place(name.slice(prefix.length));
  if (!inside) return await onSkipped({ reason: "outside", path, linkName });
  switch (type) {
    case "directory":
      return await target.makeFolder(path);
    case "file":
      return await fillFile(await target.createFile(path), { path, size: header.size }, content, (written) =>
        onProgress?.(path, written, header.size),
      );
    case "hardlink": {
      const linked = linkName.startsWith(prefix) ? target.place(linkName.slice(prefix.length)) : undefined;
      if (linked?.inside === true && linked.path !== path) return await copy(linked.path, path, target);
      return await onSkipped({ reason: "hardlink", path, linkName });
    }
    case "symlink":
    case "special":
      return await onSkipped({ reason: type, path, linkName });
  }
}

async function copy(from: string, to: string, target: TargetFolder): Promise<void> {
  const source = await target.openFile(from);
  try {
    const { size } = await source.stat();
    const content = readPieces(source, { path: from, to: size });
    await fillFile(await target.createFile(to), { path: to, size }, content, () => undefined);
  } finally {
    await source.close();
  }
}
