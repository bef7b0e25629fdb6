/** Whether a stream gets colour: a terminal that can show it, unless NO_COLOR is set to anything (https://no-color.org). */
export function wantsColour(
  stream: { readonly isTTY?: boolean | undefined },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}
