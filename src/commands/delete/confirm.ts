import type { Streams } from "../../cli/connect/factory.js";
import { firstLine } from "../../cli/first-line.js";

/** Lists what is about to go and asks; only "y" agrees. */
export async function confirm(names: readonly string[], { in: input, out }: Streams): Promise<boolean> {
  out.write(`You are about to delete the following ${names.length} resource(s):\n`);
  for (const name of names) out.write(`${name}\n`);
  out.write("Do you want to continue? (y/N): ");
  return (await firstLine(input)).trim().toLowerCase() === "y";
}
