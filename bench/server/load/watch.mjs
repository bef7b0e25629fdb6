import { Http1Connection, requestBytes } from "../http1-connection.mjs";

const VERSION = Buffer.from('"resourceVersion":"');

let watchers = [];
let complete;

/** Opens `count` watches; what comes is noted until {@link watched} asks for it. Resolves when all are streaming. */
export async function watch({ target, path, count, expected }) {
  let finish;
  complete = new Promise((resolve, reject) => (finish = { resolve, reject }));
  complete.catch(() => {});
  let unfinished = count;
  watchers = await Promise.all(
    Array.from({ length: count }, async () => {
      const connection = await Http1Connection.open(target);
      const watcher = { connection, versions: [], times: [] };
      const whenFull = () => {
        if (--unfinished === 0) finish.resolve();
      };
      await new Promise((streaming) =>
        follow(watcher, requestBytes("GET", path), expected, streaming, whenFull, finish.reject),
      );
      return watcher;
    }),
  );
  return {};
}

/** Waits until every watcher has seen what it expected. Versions and, per watcher, when each event came. */
export async function watched() {
  await complete;
  return {
    versions: watchers.map(({ versions }) => versions),
    times: watchers.map(({ times }) => times),
  };
}

export async function stopWatching() {
  for (const { connection } of watchers) connection.close();
  watchers = [];
  return {};
}

/** An event is told by its resourceVersion, of which it has one; neither chunks nor lines need to be taken apart. */
function follow(watcher, request, expected, streaming, whenFull, fail) {
  let head = true;
  let rest = Buffer.alloc(0);
  const take = (chunk) => {
    const now = process.hrtime.bigint();
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (head) {
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) {
        rest = bytes;
        return;
      }
      if (bytes[9] !== 0x32) fail(new Error(`a watch was answered ${bytes.latin1Slice(0, 400)}`));
      head = false;
      bytes = bytes.subarray(end + 4);
      streaming();
    }
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(VERSION, from);
      const start = at + VERSION.length;
      const end = at < 0 ? -1 : bytes.indexOf(0x22, start);
      if (end < 0) {
        rest = bytes.subarray(at < 0 ? Math.max(from, bytes.length - VERSION.length) : at);
        return;
      }
      watcher.versions.push(bytes.latin1Slice(start, end));
      watcher.times.push(now);
      from = end;
      if (watcher.versions.length === expected) whenFull();
    }
  };
  watcher.connection.stream(request, take, fail);
}
