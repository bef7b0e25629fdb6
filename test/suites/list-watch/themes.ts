import { deleteCollectionRows } from "./delete-collection.js";
import { eventLifetimeRows } from "./event-lifetime.js";
import { fieldSelectorsRows } from "./field-selectors.js";
import { getRows } from "./get.js";
import { labelSelectorsRows } from "./label-selectors.js";
import { listContinueRows } from "./list-continue.js";
import { listLimitSelectorsRows } from "./list-limit-selectors.js";
import { listResourceVersionRows } from "./list-resource-version.js";
import { listScopeRows } from "./list-scope.js";
import { listValidationRows } from "./list-validation.js";
import { partialMetadataRows } from "./partial-metadata.js";
import { representationRows } from "./representation.js";
import type { Row } from "./runner/row.js";
import { tableRows } from "./table.js";
import { timeoutRows } from "./timeout.js";
import { watchBookmarksRows } from "./watch-bookmarks.js";
import { watchExpiredRows } from "./watch-expired.js";
import { watchInitialEventsRows } from "./watch-initial-events.js";
import { watchOrderRows } from "./watch-order.js";
import { watchSelectorsRows } from "./watch-selectors.js";
import { watchStartRows } from "./watch-start.js";
import { watchValidationRows } from "./watch-validation.js";

/** Every row, by what it is about. */
export const themes: Readonly<Record<string, readonly Row[]>> = {
  get: getRows,
  "list, resourceVersion": listResourceVersionRows,
  "list, continue": listContinueRows,
  "list, limit with selectors": listLimitSelectorsRows,
  "list, scope and order": listScopeRows,
  "list, validation": listValidationRows,
  "label selectors": labelSelectorsRows,
  "field selectors": fieldSelectorsRows,
  deletecollection: deleteCollectionRows,
  "watch, start": watchStartRows,
  "watch, initial events": watchInitialEventsRows,
  "watch, selectors": watchSelectorsRows,
  "watch, order": watchOrderRows,
  "watch, bookmarks": watchBookmarksRows,
  "watch, expired": watchExpiredRows,
  "watch, validation": watchValidationRows,
  "watch, timeout": timeoutRows,
  table: tableRows,
  "metadata only": partialMetadataRows,
  representation: representationRows,
  "lifetime of Events": eventLifetimeRows,
};
