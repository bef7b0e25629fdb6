/** Makes control sequences in a value harmless on a terminal. */
export function escapeForTerminal(text: string): string {
  return text.replaceAll("\u001b", "^[").replaceAll("\r", "\\r");
}
