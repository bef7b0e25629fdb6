import { turn } from "../../src/base/async/turns.js";
import { ClosedError, type Kv, type WatchBatch } from "../../src/server/storage/kv.js";

/**
 * The same store for one of its users: closing what was lent ends that user's calls and watches and leaves the store
 * open for the others. Its watches tell everything so many turns of the event loop later, as they may.
 */
export function lend(kv: Kv, lag = 0): Kv {
  const ending = new AbortController();
  const { signal } = ending;
  const own: Pick<Kv, "watch" | "close"> = {
    watch: (prefix, from, options) => lentWatch(kv, prefix, from, AbortSignal.any([signal, options.signal]), lag),
    async close() {
      ending.abort();
    },
  };
  return new Proxy(kv, {
    get(target, name) {
      if (name === "watch" || name === "close") return own[name];
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]): Promise<unknown> => {
        if (signal.aborted) throw new ClosedError();
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
}

async function* lentWatch(
  kv: Kv,
  prefix: string,
  from: number,
  signal: AbortSignal,
  lag: number,
): AsyncGenerator<WatchBatch> {
  if (signal.aborted) throw new ClosedError();
  for await (const batch of kv.watch(prefix, from, { signal })) {
    for (let turns = 0; turns < lag; turns++) await turn();
    yield batch;
  }
}
