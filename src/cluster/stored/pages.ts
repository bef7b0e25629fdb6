import type { KeyValue, Kv } from "../../server/storage/kv.js";

/** The prefix of a server's keys. */
export const ROOT = "/registry/";

const PAGE = 500;

/** The pages of all keys below a prefix, in key order and at one revision. */
export interface Pages extends AsyncIterable<readonly KeyValue[]> {
  /** The revision that the pages show; 0 before the first. */
  readonly revision: number;
}

/**
 * Reads a storage page by page, so that memory holds one page at a time: at a revision, or at the current one if it is 0. A
 * compaction may end it with a CompactedError.
 */
export function readPages(kv: Kv, prefix: string = ROOT, revision = 0): Pages {
  let at = revision;
  return {
    get revision() {
      return at;
    },
    async *[Symbol.asyncIterator]() {
      let startAfter: string | undefined;
      for (;;) {
        const page = await kv.list(prefix, {
          limit: PAGE,
          ...(at > 0 && { revision: at }),
          ...(startAfter !== undefined && { startAfter }),
        });
        at = page.revision;
        if (page.items.length > 0) yield page.items;
        startAfter = page.items.at(-1)?.key;
        if (page.remaining === 0 || startAfter === undefined) return;
      }
    },
  };
}
