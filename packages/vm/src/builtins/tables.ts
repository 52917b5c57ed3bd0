import { consoleBuiltins } from "../machine/console-builtins.ts";
import { machineBuiltins, machineOperations } from "../machine/machine-builtins.ts";
import { promiseBuiltins, promiseOperations } from "../machine/promise-builtins.ts";
import { arrayEditBuiltins } from "./array-edit.ts";
import { arrayReadBuiltins } from "./array-read.ts";
import { arrayBuiltins } from "./array.ts";
import { base64Builtins } from "./base64.ts";
import { bigintBuiltins } from "./bigint.ts";
import { booleanBuiltins } from "./boolean.ts";
import { bytesBuiltins } from "./bytes.ts";
import { dateSetters } from "./date-setters.ts";
import { dateBuiltins } from "./date.ts";
import { errorBuiltins } from "./error.ts";
import { functionBuiltins } from "./function.ts";
import { globalBuiltins } from "./global.ts";
import type { HostTable, OperationTable } from "./host-table.ts";
import { iteratorBuiltins } from "./iterator.ts";
import { mapBuiltins } from "./map.ts";
import { mathBuiltins } from "./math.ts";
import { numberBuiltins } from "./number.ts";
import { integrityBuiltins } from "./object-integrity.ts";
import { objectBuiltins } from "./object.ts";
import { arrayOperations } from "./operations-array.ts";
import { bytesOperations } from "./operations-bytes.ts";
import { collectionOperations } from "./operations-collection.ts";
import { coerceOperations } from "./operations-coerce.ts";
import { dateOperations } from "./operations-date.ts";
import { jsonOperations } from "./operations-json.ts";
import { regexpOperations } from "./operations-regexp.ts";
import { sortOperations } from "./operations-sort.ts";
import { stringOperations } from "./operations-string.ts";
import { urlOperations } from "./operations-url.ts";
import { regexpBuiltins } from "./regexp.ts";
import { setBuiltins } from "./set.ts";
import { stringHtml } from "./string-html.ts";
import { stringBuiltins } from "./string.ts";
import { structuredCloneBuiltins } from "./structured-clone.ts";
import { textEncodingBuiltins } from "./text-encoding.ts";
import { uriBuiltins } from "./uri.ts";
import { urlParamsBuiltins } from "./url-params.ts";
import { urlBuiltins } from "./url.ts";

/** Everything that the host carries out, by path. */
export const hostTable: HostTable = {
  ...arrayBuiltins,
  ...arrayEditBuiltins,
  ...arrayReadBuiltins,
  ...base64Builtins,
  ...bigintBuiltins,
  ...booleanBuiltins,
  ...bytesBuiltins,
  ...consoleBuiltins,
  ...dateBuiltins,
  ...dateSetters,
  ...errorBuiltins,
  ...functionBuiltins,
  ...globalBuiltins,
  ...integrityBuiltins,
  ...iteratorBuiltins,
  ...machineBuiltins,
  ...mapBuiltins,
  ...mathBuiltins,
  ...numberBuiltins,
  ...objectBuiltins,
  ...promiseBuiltins,
  ...regexpBuiltins,
  ...setBuiltins,
  ...stringBuiltins,
  ...stringHtml,
  ...structuredCloneBuiltins,
  ...textEncodingBuiltins,
  ...uriBuiltins,
  ...urlBuiltins,
  ...urlParamsBuiltins,
};

/** Operations that the prelude names. */
export const operationTable: OperationTable = {
  ...arrayOperations,
  ...coerceOperations,
  ...bytesOperations,
  ...collectionOperations,
  ...dateOperations,
  ...jsonOperations,
  ...machineOperations,
  ...promiseOperations,
  ...regexpOperations,
  ...sortOperations,
  ...stringOperations,
  ...urlOperations,
};
