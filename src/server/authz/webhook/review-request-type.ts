import { declaredTypes } from "../../../machinery/cel/types/provider.js";
import { listType, mapType, objectType, STRING, type Type } from "../../../machinery/cel/types/type.js";

/** The type of `request` in match conditions: the spec of a SubjectAccessReview. */
export const REVIEW_REQUEST = objectType("kubernetes.SubjectAccessReviewSpec");

const RESOURCE = objectType("kubernetes.ResourceAttributes");
const NON_RESOURCE = objectType("kubernetes.NonResourceAttributes");
const FIELD_SELECTOR = objectType("kubernetes.FieldSelectorAttributes");
const LABEL_SELECTOR = objectType("kubernetes.LabelSelectorAttributes");
const REQUIREMENT = objectType("kubernetes.SelectorRequirement");

const STRINGS = listType(STRING);
type FieldTypes = Readonly<Record<string, Type>>;

const SELECTOR: FieldTypes = { rawSelector: STRING, requirements: listType(REQUIREMENT) };

const TYPES: ReadonlyMap<Type, FieldTypes> = new Map<Type, FieldTypes>([
  [
    REVIEW_REQUEST,
    {
      resourceAttributes: RESOURCE,
      nonResourceAttributes: NON_RESOURCE,
      user: STRING,
      groups: STRINGS,
      extra: mapType(STRING, STRINGS),
      uid: STRING,
    },
  ],
  [
    RESOURCE,
    {
      namespace: STRING,
      verb: STRING,
      group: STRING,
      version: STRING,
      resource: STRING,
      subresource: STRING,
      name: STRING,
      fieldSelector: FIELD_SELECTOR,
      labelSelector: LABEL_SELECTOR,
    },
  ],
  [NON_RESOURCE, { path: STRING, verb: STRING }],
  [FIELD_SELECTOR, SELECTOR],
  [LABEL_SELECTOR, SELECTOR],
  [REQUIREMENT, { key: STRING, operator: STRING, values: STRINGS }],
]);

export const REVIEW_REQUEST_TYPES = declaredTypes(TYPES);
