import { Description } from "../../kinds/describe/index.js";
import type { Fields } from "../../machinery/meta/access.js";
import { escapeForTerminal } from "../../printers/terminal-escape.js";

/** A pod template as describe shows it, but that kubectl leaves the tabs between its cells. */
export async function templateText(template: Fields): Promise<string> {
  const { describePodTemplate } = await import("../../kinds/describe/pod-template.js");
  const description = new Description();
  describePodTemplate(description, template);
  return escapeForTerminal(description.parts().join(""));
}
