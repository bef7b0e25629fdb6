/** An etcd value is at most 1.5 MiB by default, so the first page is bounded too. */
const FIRST = 100;
const MOST = 2000;
const BYTES = 2 * 2 ** 20;

/** The number of keys to request, so that an answer takes about 2 MiB. It is estimated from the previous page. */
export function pageSize(before?: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[]): number {
  if (before === undefined || before.length === 0) return FIRST;
  const bytes = before.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  return Math.max(1, Math.min(MOST, Math.floor((BYTES * before.length) / bytes)));
}
