import { sep } from "node:path";

const OWN_PLATFORM: NodeJS.Platform = sep === "\\" ? "win32" : "linux";

/** Names that Windows takes for devices, whatever follows the first dot, and those that name a stream of another file. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(\.|$)|:|[. ]$/i;

/** Whether the system keeps a file under exactly this name. */
export const isOwnName = (component: string, platform: NodeJS.Platform): boolean =>
  platform !== "win32" || !WINDOWS_DEVICE.test(component);

/**
 * The name of one entry of a folder, made of words that a server, a manifest or an archive chose. Words that name an entry stay as they
 * are. Separators, control characters, a lone "." or ".." and what Windows takes for something else are percent-encoded, so
 * that the entry lies in the folder whatever the words are.
 */
export function pathComponent(words: string, platform: NodeJS.Platform = OWN_PLATFORM): string {
  if (words === "") return "%";
  if (words === "." || words === "..") return words.replaceAll(".", "%2E");
  const name = words.replace(platform === "win32" ? /[\p{Cc}/\\<>:"|?*]/gu : /[\p{Cc}/]/gu, encoded);
  // A first letter that is encoded makes a name of a device, and a last one the end of a name, into plain ones.
  return isOwnName(name, platform) ? name : name.replace(/^./, encoded).replace(/[. ]$/, encoded);
}

const encoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
