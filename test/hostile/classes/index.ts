import type { Hostility } from "../hostility.js";
import { oddHeaders, unacceptable, unknownMediaTypes } from "./headers.js";
import { jsonPatches, randomJsonPatches } from "./json-patch.js";
import { corrupted, malformed } from "./malformed.js";
import { longLists, malformedDirectives, managedFields, randomMergePatches } from "./merge-patches.js";
import { deep, tooDeep } from "./nesting.js";
import { exactNumbers, hugeNumbers, queryNumbers } from "./numbers.js";
import { patterns } from "./patterns.js";
import { malformedProtobuf, mutatedProtobuf, nestedProtobuf } from "./protobuf.js";
import { rawHttp } from "./raw-http.js";
import { deleteOptions, reads, stored, subresources } from "./subresources.js";
import { badUtf8, duplicateKeys } from "./texts.js";
import { tooLarge } from "./too-large.js";
import { badEscapes, continueTokens, hostileNames, methods, queries, selectors, unknownPaths } from "./urls.js";
import { wide } from "./wide.js";
import { anything, mutants, wrongTypes } from "./wrong-types.js";
import { aliasBombs, brokenYaml, oddYaml } from "./yaml.js";

export const HOSTILITIES: readonly Hostility[] = [
  malformed,
  corrupted,
  tooDeep,
  deep,
  hugeNumbers,
  queryNumbers,
  exactNumbers,
  wrongTypes,
  mutants,
  anything,
  badUtf8,
  duplicateKeys,
  tooLarge,
  aliasBombs,
  brokenYaml,
  oddYaml,
  jsonPatches,
  randomJsonPatches,
  malformedDirectives,
  randomMergePatches,
  longLists,
  managedFields,
  mutatedProtobuf,
  malformedProtobuf,
  nestedProtobuf,
  hostileNames,
  unknownPaths,
  badEscapes,
  selectors,
  continueTokens,
  queries,
  methods,
  unknownMediaTypes,
  unacceptable,
  oddHeaders,
  rawHttp,
  patterns,
  subresources,
  deleteOptions,
  stored,
  reads,
  wide,
];
