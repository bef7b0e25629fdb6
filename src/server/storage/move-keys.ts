import { KeyExistsError, type KeyValue, type Kv, RevisionMismatchError } from "./kv.js";

/** Read at a time. */
const PAGE = 500;

/**
 * Moves every key below `from` to the same place below `to`; both end in "/". A key that was moved already, by another server
 * or before a crash, is only deleted. A key whose place is taken by another value stays where it is, and so does one whose value
 * `mayMove` refuses.
 */
export async function moveKeys(
  kv: Kv,
  from: string,
  to: string,
  mayMove: (value: Uint8Array) => boolean | Promise<boolean>,
): Promise<void> {
  for (let startAfter: string | undefined; ; ) {
    const { items, remaining } = await kv.list(from, { limit: PAGE, ...(startAfter !== undefined && { startAfter }) });
    for (const item of items) if (await mayMove(item.value)) await move(kv, item, to + item.key.slice(from.length));
    startAfter = items.at(-1)?.key;
    if (remaining === 0 || startAfter === undefined) return;
  }
}

async function move(kv: Kv, { key, revision, value }: KeyValue, place: string): Promise<void> {
  try {
    await kv.create(place, value);
  } catch (error) {
    if (!(error instanceof KeyExistsError)) throw error;
    const { kv: taken } = await kv.get(place);
    if (taken === undefined || Buffer.compare(taken.value, value) !== 0) return;
  }
  try {
    await kv.delete(key, revision);
  } catch (error) {
    // Another server has moved or changed it. What it changed stays.
    if (!(error instanceof RevisionMismatchError)) throw error;
  }
}
