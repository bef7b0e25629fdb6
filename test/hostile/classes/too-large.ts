import type { Hostility } from "../hostility.js";
import {
  APPLY_PATCH,
  JSON_PATCH,
  JSON_TYPE,
  MERGE_PATCH,
  PROTOBUF_TYPE,
  STRATEGIC_PATCH,
  typed,
  YAML_TYPE,
} from "../hostility.js";
import { MAPS, PODS, SERVICES } from "../targets.js";

const LIMIT = 3 * 1024 * 1024;

/** More than 3 MiB, by every verb that has a body. */
export const tooLarge: Hostility = {
  name: "over 3 MiB",
  share: 60,
  make(dice) {
    const filling = dice.pick(["x", " ", "[", "9", '"', "\\", "\u0000", "\u00e9"]);
    const body = Buffer.alloc(LIMIT + 1 + dice.below(1000), filling);
    const [method, path, type] = dice.pick([
      ["POST", MAPS, JSON_TYPE],
      ["POST", MAPS, YAML_TYPE],
      ["POST", PODS, PROTOBUF_TYPE],
      ["POST", `${PODS}/standing/eviction`, JSON_TYPE],
      ["POST", "/apis/authentication.k8s.io/v1/tokenreviews", JSON_TYPE],
      ["PUT", `${MAPS}/standing`, JSON_TYPE],
      ["PUT", `${SERVICES}/nobody`, YAML_TYPE],
      ["PATCH", `${MAPS}/standing`, JSON_PATCH],
      ["PATCH", `${MAPS}/standing`, MERGE_PATCH],
      ["PATCH", `${MAPS}/standing`, STRATEGIC_PATCH],
      ["PATCH", `${MAPS}/standing?fieldManager=hostile`, APPLY_PATCH],
      ["DELETE", `${MAPS}/nobody`, JSON_TYPE],
      ["DELETE", `${MAPS}?labelSelector=no=body`, JSON_TYPE],
    ] as const);
    return { method, path, headers: typed(type), body, expected: [413], reason: "RequestEntityTooLarge" };
  },
};
