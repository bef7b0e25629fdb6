import type { ObjectReference, ServiceAccount } from "../../../api/types/core/v1.js";
import type { Fields } from "../../../machinery/meta/access.js";
import { type FieldsOf, type DraftObject, objects, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import { handleTokenRequest } from "./token-request.js";

export const serviceAccountRecord: RecordOf<ServiceAccount> = {
  group: "",
  resource: "serviceaccounts",
  subresources: {
    token: {
      handlers: {
        create: (accounts, { serviceAccounts, resource }) =>
          serviceAccounts &&
          ((request) =>
            handleTokenRequest(request, accounts, { ...serviceAccounts, resource: (name) => resource("v1", name) })),
      },
    },
  },
  strategy: {
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
    warningsOnCreate: (account) => warnings(account, {}),
    warningsOnUpdate: warnings,
    columns: columns(["Name", "Age"], (account, now) => [name(account), age(account, now)]),
  },
};

/** Of the secrets of an account only the names mean something. */
function keepSecretNames(draft: DraftObject<ServiceAccount>): void {
  if (draft.secrets === undefined || draft.secrets === null) return;
  (draft as Fields).secrets = objects(draft.secrets).map(({ name }) =>
    name === undefined ? {} : ({ name } satisfies FieldsOf<ObjectReference>),
  );
}

const MOUNTABLE_SECRETS = "kubernetes.io/enforce-mountable-secrets";

/** Said when the annotation is new. */
function warnings(account: ReceivedObject<ServiceAccount>, old: ReceivedObject<ServiceAccount>): readonly string[] {
  const [asks, asked] = [account, old].map(({ metadata }) => metadata?.annotations?.[MOUNTABLE_SECRETS] !== undefined);
  if (asks !== true || asked === true) return [];
  const better = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
  return [`metadata.annotations[${MOUNTABLE_SECRETS}]: ${better}`];
}
