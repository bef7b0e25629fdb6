import { type Colours, lookOf } from "../terminal/colour.js";
import type { Streams } from "../connect/factory.js";
import type { HelpStyle } from "./flag-usages.js";

/** The widths kubectl folds help to; a narrower terminal gets the lines as they are. */
const WIDTHS = [120, 100, 80];

/** How help is shown on a stream. Nothing is folded where it is no terminal. */
export async function helpStyle(stream: Streams["out"], colours: Colours): Promise<HelpStyle> {
  const { isTTY, columns = 0 } = stream;
  const { paint } = await lookOf(stream, colours);
  return { width: isTTY === true ? WIDTHS.find((width) => columns >= width) : undefined, paint };
}
