/**
 * Prints bytes as Go's hex.Dump does: sixteen bytes a line, after their offset and before their ASCII characters.
 *
 *     00000000  6b 38 73 00 0a 0f 0a 02  76 31 12 09 43 6f 6e 66  |k8s.....v1..Conf|
 */
export function hexDump(bytes: Uint8Array): string {
  let text = "";
  for (let offset = 0; offset < bytes.length; offset += WIDTH) {
    const row = [...bytes.subarray(offset, offset + WIDTH)];
    const pairs = row.map((byte) => byte.toString(16).padStart(2, "0"));
    const columns = `${pairs.slice(0, HALF).join(" ").padEnd(COLUMN)}  ${pairs.slice(HALF).join(" ").padEnd(COLUMN)}`;
    const ascii = row.map((byte) => (byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : ".")).join("");
    text += `${offset.toString(16).padStart(8, "0")}  ${columns}  |${ascii}|\n`;
  }
  return text;
}

const WIDTH = 16;
const HALF = WIDTH / 2;
/** The width of eight pairs separated by blanks. */
const COLUMN = HALF * 3 - 1;
