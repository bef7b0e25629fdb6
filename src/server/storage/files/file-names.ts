/** The longest name that file systems take, in bytes. */
const LONGEST = 255;

/** Names of devices, which Windows keeps in every folder and with every extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/;

/**
 * Makes one component of a path of a name, whatever characters it has. Small letters, digits, "-", "_" and "." stay; of all other
 * characters each byte is written "%2f". Capital letters are among them, since some file systems take "A" for "a"; so is a dot at
 * the start (".", "..", ".git") or at the end, and the first letter of a device's name. Returns undefined where the component,
 * with `extension` behind it, would be longer than file systems take.
 */
export function componentOf(name: string, extension = ""): string | undefined {
  let component = "";
  for (const byte of Buffer.from(name)) component += isPlain(byte) ? String.fromCharCode(byte) : escaped(byte);
  if (component.startsWith(".")) component = escaped(DOT) + component.slice(1);
  if (component.endsWith(".")) component = component.slice(0, -1) + escaped(DOT);
  if (DEVICE.test(component)) component = escaped(component.charCodeAt(0)) + component.slice(1);
  return component === "" || component.length + extension.length > LONGEST ? undefined : component + extension;
}

/** The name from which {@link componentOf} makes this path component; undefined where there is none. */
export function nameOfComponent(component: string, extension = ""): string | undefined {
  if (!component.endsWith(extension)) return undefined;
  const name = decoded(component.slice(0, component.length - extension.length));
  return name !== undefined && componentOf(name, extension) === component ? name : undefined;
}

/** Decodes a path component to a name, even one that {@link componentOf} would encode differently. */
export function decoded(component: string): string | undefined {
  try {
    return decodeURIComponent(component);
  } catch {
    return undefined;
  }
}

const DOT = 0x2e;

const escaped = (byte: number): string => `%${byte.toString(16).padStart(2, "0")}`;

function isPlain(byte: number): boolean {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const isLetter = byte >= 0x61 && byte <= 0x7a;
  return isDigit || isLetter || byte === 0x2d || byte === 0x5f || byte === DOT;
}
