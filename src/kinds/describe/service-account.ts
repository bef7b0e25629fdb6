import { objects, text } from "../../machinery/meta/access.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { describeLabelsAndAnnotations, describeName } from "./heading.js";

const SERVICE_ACCOUNTS = { group: "", version: "v1", resource: "serviceaccounts" };
const TITLE = "Image pull secrets:";

export const describeServiceAccount: Describer = async (namespace, name, description, context) => {
  const account = await context.reader.get(SERVICE_ACCOUNTS, namespace, name);
  const events = await eventsOf(account, "ServiceAccount", context);
  describeName(description, account);
  describeLabelsAndAnnotations(description, account);
  const secrets = objects(account.imagePullSecrets).map((secret) => text(secret.name));
  for (const [index, secret] of (secrets.length === 0 ? ["<none>"] : secrets).entries()) {
    description.write(0, `${index === 0 ? TITLE : " ".repeat(TITLE.length)}\t${secret}\n`);
  }
  describeEvents(description, events, context);
};
