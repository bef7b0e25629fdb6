import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type { FieldRules, TypeRules } from "../declarative/field-rules.js";
import { prefixedLabelKeyErrors, reservedDomainErrors, uuidErrors } from "../declarative/formats.js";

// The marks of lifecycle.k8s.io/v1alpha1 in 1.37 (K37-062), and those of a pod's responders.

/** Responders that a pod may name; an Eviction has one more, that of Kubernetes itself. */
const MOST_POD_RESPONDERS = 10;
export const MOST_RESPONDERS = MOST_POD_RESPONDERS + 1;
const HIGHEST_PRIORITY = 100_000;

const RESERVED_PRIORITIES = 1000;

const reservedPriorityErrors = (value: unknown, path: string): FieldError[] =>
  typeof value === "number" && value >= 0 && value < RESERVED_PRIORITIES
    ? [invalidValue(path, value, "priorities 0-999 are reserved for responders with *.k8s.io suffix")]
    : [];

const labelKey = { required: true, format: prefixedLabelKeyErrors } as const;
const intent = { required: true, enum: ["Eviction", "Withdrawn"] } as const;
const once = { pointer: true, update: ["NoModify", "NoUnset"] } as const;

const target: FieldRules = {
  immutable: true,
  struct: () => ({
    union: ["pod"],
    fields: {
      pod: {
        pointer: true,
        struct: () => ({
          fields: {
            name: { required: true, format: dns1123SubdomainErrors },
            uid: { required: true, format: uuidErrors },
          },
        }),
      },
    },
  }),
};

const progress: Readonly<Record<string, FieldRules>> = {
  conditions: { maxItems: 100 },
  observedGeneration: { pointer: true, minimum: 1, update: ["NoUnset"], monotonic: true },
};

export const evictionRequestRules: TypeRules = {
  fields: {
    spec: {
      struct: () => ({
        fields: { target, requester: { ...labelKey, immutable: true, custom: reservedDomainErrors }, intent },
      }),
    },
    status: { struct: () => ({ fields: progress }) },
  },
};

const priority = { required: true, pointer: true, minimum: 0, maximum: HIGHEST_PRIORITY } as const;

/** The responders that a pod names, in its spec (K37-025). */
export const podResponderRules: TypeRules = {
  fields: {
    evictionResponders: {
      keys: ["name"],
      maxItems: MOST_POD_RESPONDERS,
      items: () => ({
        fields: {
          name: { ...labelKey, custom: reservedDomainErrors },
          priority: { ...priority, custom: reservedPriorityErrors },
        },
      }),
    },
  },
};

export const evictionRules: TypeRules = {
  fields: {
    spec: { struct: () => ({ fields: { target } }) },
    status: {
      struct: () => ({
        fields: {
          ...progress,
          requesters: { keys: ["name"], maxItems: 100, items: () => ({ fields: { name: labelKey, intent } }) },
          targetResponders: {
            keys: ["name"],
            maxItems: MOST_RESPONDERS,
            items: () => ({
              fields: {
                name: labelKey,
                priority: { ...priority, update: ["NoModify", "NoUnset"] },
                state: { required: true, enum: ["Inactive", "Active", "Interrupted", "Canceled", "Completed"] },
              },
            }),
          },
          responders: {
            keys: ["name"],
            maxItems: MOST_RESPONDERS,
            items: () => ({
              fields: {
                name: labelKey,
                startTime: once,
                completionTime: once,
                message: { pointer: true, maxLength: 4000 },
              },
            }),
          },
        },
      }),
    },
  },
};
