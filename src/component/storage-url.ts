/** A URL of a storage: its scheme, and a rest that the storage interprets: "files:./data", "postgres://user@host/database". */
export type StorageUrl = `${string}:${string}`;

/** The storages that are named by a word. */
export const STORAGE_NAMES = ["memory", "disk", "etcd"] as const;

/** A scheme by RFC 3986, 3.1. One letter would be a drive of Windows. */
const URL_SCHEME = /^[a-z][a-z0-9+.-]+(?=:)/;

export const isStorageUrl = (storage: string): storage is StorageUrl => URL_SCHEME.test(storage);

/** The scheme of a storage URL: "postgres" of "postgres://host/database". */
export const schemeNameOf = (url: StorageUrl): string => url.slice(0, url.indexOf(":"));

/** The environment variable that replaces --storage: a URL with a password does not belong on a command line. */
export const STORAGE_VARIABLE = "KUBETS_STORAGE";

/** The URL without its password, as Go's URL.Redacted prints it. */
export function redactedUrl(url: StorageUrl): string {
  return url
    .replace(/^([a-z][a-z0-9+.-]+:\/\/[^/?#:@]*):[^/?#]*@/, "$1:xxxxx@")
    .replace(/([?&]password=)[^&#]*/g, "$1xxxxx");
}
