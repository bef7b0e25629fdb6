import type { Streams } from "../../cli/factory.js";

/** Lists what is about to go and asks; only "y" agrees. */
export async function confirm(names: readonly string[], { in: input, out }: Streams): Promise<boolean> {
  out.write(`You are about to delete the following ${names.length} resource(s):\n`);
  for (const name of names) out.write(`${name}\n`);
  out.write("Do you want to continue? (y/N): ");
  return (await firstLine(input)).trim().toLowerCase() === "y";
}

async function firstLine(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of input) {
    text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
