import { lookOf } from "./colour.js";
import type { Factory } from "../connect/factory.js";
import type { LiveLines } from "./live-lines.js";

/** Lines on stderr where that is a terminal; undefined, and nothing loaded, where it is not. */
export async function openLiveLines({
  streams: { err },
  colours,
  clock,
}: Pick<Factory, "streams" | "colours" | "clock">): Promise<LiveLines | undefined> {
  if (err.isTTY !== true) return undefined;
  const [{ LiveLines: Lines }, look] = await Promise.all([import("./live-lines.js"), lookOf(err, colours)]);
  return new Lines(err, { clock, look, code: (sequence) => colours.code(err, sequence) });
}
