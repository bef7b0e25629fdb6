import type { DescriptionWriter } from "./description.js";
import { shorten } from "./labels.js";

const MAX_LENGTH = 140;

/** What is handed to a CSI driver, sorted by key. Further lines are indented as kubectl's are: twice before the tab. */
export function describeAttributes(description: DescriptionWriter, attributes: Readonly<Record<string, string>>): void {
  const keys = Object.keys(attributes).sort();
  description.write(2, "VolumeAttributes:\t");
  if (keys.length === 0) description.write(0, "<none>\n");
  for (const [index, key] of keys.entries()) {
    if (index > 0) {
      description.write(2, "");
      description.write(2, "\t");
    }
    description.write(2, `${shorten(`${key}=${attributes[key]}`, MAX_LENGTH)}\n`);
  }
}
