import type { Flags } from "../../component/flags/flag-set.js";
import type { WatchCacheChoice } from "../../server/storage/create-storage.js";

/** What --watch-cache-sizes says of one resource. */
interface WatchCacheSize {
  /** "events", "deployments.apps". */
  readonly resource: string;
  readonly size: number;
}

/** Reads which resources have a watch cache from --watch-cache and --watch-cache-sizes. */
export function readWatchCache(flags: Flags): WatchCacheChoice {
  if (!flags.bool("watch-cache")) return false;
  const sizes = flags.strings("watch-cache-sizes").flatMap((text) => parseSize(text) ?? []);
  return Object.fromEntries(sizes.map(({ resource, size }) => [resource, size > 0]));
}

/** Finds the faults of --watch-cache-sizes, in kube-apiserver's words. */
export function watchCacheFaults(flags: Flags): readonly string[] {
  return flags.strings("watch-cache-sizes").flatMap((text) => sizeFault(text) ?? []);
}

/** Warns about sizes without an effect, in kube-apiserver's words. */
export function watchCacheWarnings(flags: Flags): readonly string[] {
  if (!flags.bool("watch-cache")) return [];
  const sizes = flags.strings("watch-cache-sizes").flatMap((text) => parseSize(text) ?? []);
  return sizes
    .filter(({ size }) => size > 0)
    .map(({ resource }) => `Dropping watch-cache-size for ${resource} - watchCache size is now dynamic`);
}

function sizeFault(text: string): string | undefined {
  const [, size, ...more] = text.split("#");
  if (size === undefined || more.length > 0) return `invalid value of watch cache size: ${text}`;
  if (!/^[+-]?\d+$/.test(size)) return `invalid size of watch cache size: ${text}`;
  return Number(size) < 0 ? `watch cache size cannot be negative: ${text}` : undefined;
}

function parseSize(text: string): WatchCacheSize | undefined {
  if (sizeFault(text) !== undefined) return undefined;
  const [resource = "", size = ""] = text.split("#");
  return { resource, size: Number(size) };
}
