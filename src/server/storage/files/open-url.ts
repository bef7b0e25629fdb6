import { resolve } from "node:path";
import { errorMessage } from "../../../base/text/error-message.js";
import type { StorageUrl } from "../../../component/storage-url.js";
import type { Kv } from "../kv.js";
import { folderOf, StorageError, type StorageSurroundings } from "../storage-schemes.js";
import { openFilesKv } from "./files-kv.js";

/** Opens the store of "files:./data", "files:/data" or "files:///data". */
export async function openFilesUrl(url: StorageUrl, { clock, timers, warn, places }: StorageSurroundings): Promise<Kv> {
  const folder = folderOf(url);
  if (folder === undefined) throw new StorageError(`${url} names no folder: write files:./data or files:///var/data`);
  try {
    return await openFilesKv({ directory: resolve(folder), clock, timers, onWarning: warn, places: places?.() ?? [] });
  } catch (error) {
    throw new StorageError(errorMessage(error));
  }
}
