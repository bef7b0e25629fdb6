import type { Writable } from "node:stream";

/**
 * stdout or stderr of the process, as given, but that `failed` hears of a write that failed before `write` returns: Node's own "error"
 * comes later, when a command may have gone on to its next request. What goes to a file is written to its last byte, or fails.
 */
export function watchedOutput<Stream extends Writable>(
  stream: Stream,
  fd: number,
  failed: (error: NodeJS.ErrnoException) => void,
): Stream {
  let told = false;
  const tell = (error: NodeJS.ErrnoException): void => {
    if (told) return;
    told = true;
    failed(error);
  };
  stream.on("error", tell);
  if (isFile(stream, fd)) writeWholeChunks(stream, fd);
  const write = stream.write.bind(stream) as (...parameters: unknown[]) => boolean;
  return Object.assign(stream, {
    write: (...parameters: unknown[]): boolean => {
      const goesOn = write(...parameters);
      if (stream.errored) tell(stream.errored);
      return goesOn;
    },
  });
}

/** Node marks what it made of the process' own descriptors; bun marks pipes as files too. */
function isFile(stream: object, fd: number): boolean {
  if (!("_type" in stream) || stream._type !== "fs") return false;
  const stats = process.getBuiltinModule("node:fs").fstatSync(fd);
  return stats.isFile() || stats.isCharacterDevice();
}

/** Node writes once and does not look how much of it the disk took. */
function writeWholeChunks(stream: Writable, fd: number): void {
  const { writeSync } = process.getBuiltinModule("node:fs");
  // Bun gives the stream a `write` that passes `_write` by.
  Reflect.deleteProperty(stream, "write");
  stream._write = (chunk: Uint8Array, _encoding, done) => {
    try {
      for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}
