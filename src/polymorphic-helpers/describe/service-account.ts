import { objects, text } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";

const TITLE = "Image pull secrets:";

export const describeServiceAccount: Describer = async (namespace, name, description, context) => {
  const account = await context.reader.get("v1/ServiceAccount", namespace, name);
  const events = await eventsOf(account, "ServiceAccount", context);
  describeName(description, account);
  describeLabelsAndAnnotations(description, account);
  const secrets = objects(account.imagePullSecrets).map((secret) => text(secret.name));
  for (const [index, secret] of (secrets.length === 0 ? ["<none>"] : secrets).entries()) {
    description.write(0, `${index === 0 ? TITLE : " ".repeat(TITLE.length)}\t${secret}\n`);
  }
  describeEvents(description, events, context);
};
