import type { Streams } from "../factory.js";

/** The widths kubectl folds help to; a narrower terminal gets the lines as they are. */
const WIDTHS = [120, 100, 80];

/** How wide help may be on a stream; undefined where nothing is to be folded. */
export function helpWidth({ isTTY, columns = 0 }: Streams["out"]): number | undefined {
  return isTTY === true ? WIDTHS.find((width) => columns >= width) : undefined;
}
