/** Made by scripts/generate-v8-names.mjs under Node 20. */
export const v8Names: Readonly<Record<string, readonly string[]>> = {
  Array: "length name prototype isArray from of".split(" "),
  "Array.prototype":
    "length constructor at concat copyWithin fill find findIndex findLast findLastIndex lastIndexOf pop push reverse shift unshift slice sort splice includes indexOf join keys entries values forEach filter flat flatMap map every some reduce reduceRight toLocaleString toString toReversed toSorted toSpliced with".split(
      " ",
    ),
  String: "length name prototype fromCharCode fromCodePoint raw".split(" "),
  "String.prototype":
    "length constructor anchor at big blink bold charAt charCodeAt codePointAt concat endsWith fontcolor fontsize fixed includes indexOf isWellFormed italics lastIndexOf link localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll search slice small split strike sub substr substring sup startsWith toString toWellFormed trim trimStart trimLeft trimEnd trimRight toLocaleLowerCase toLocaleUpperCase toLowerCase toUpperCase valueOf".split(
      " ",
    ),
  Number:
    "length name prototype isFinite isInteger isNaN isSafeInteger parseFloat parseInt MAX_VALUE MIN_VALUE NaN NEGATIVE_INFINITY POSITIVE_INFINITY MAX_SAFE_INTEGER MIN_SAFE_INTEGER EPSILON".split(
      " ",
    ),
  "Number.prototype": "constructor toExponential toFixed toPrecision toString valueOf toLocaleString".split(" "),
  Boolean: "length name prototype".split(" "),
  "Boolean.prototype": "constructor toString valueOf".split(" "),
  BigInt: "length name prototype asUintN asIntN".split(" "),
  "BigInt.prototype": "constructor toLocaleString toString valueOf".split(" "),
  Object:
    "length name prototype assign getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols hasOwn is preventExtensions seal create defineProperties defineProperty freeze getPrototypeOf setPrototypeOf isExtensible isFrozen isSealed keys entries fromEntries values".split(
      " ",
    ),
  "Object.prototype":
    "constructor __defineGetter__ __defineSetter__ hasOwnProperty __lookupGetter__ __lookupSetter__ isPrototypeOf propertyIsEnumerable toString valueOf __proto__ toLocaleString".split(
      " ",
    ),
  Function: "length name prototype".split(" "),
  "Function.prototype": "length name arguments caller constructor apply bind call toString".split(" "),
  Map: "length name prototype".split(" "),
  "Map.prototype": "constructor get set has delete clear entries forEach keys size values".split(" "),
  Set: "length name prototype".split(" "),
  "Set.prototype": "constructor has add delete clear entries forEach size values keys".split(" "),
  Date: "length name prototype now parse UTC".split(" "),
  "Date.prototype":
    "constructor toString toDateString toTimeString toISOString toUTCString toGMTString getDate setDate getDay getFullYear setFullYear getHours setHours getMilliseconds setMilliseconds getMinutes setMinutes getMonth setMonth getSeconds setSeconds getTime setTime getTimezoneOffset getUTCDate setUTCDate getUTCDay getUTCFullYear setUTCFullYear getUTCHours setUTCHours getUTCMilliseconds setUTCMilliseconds getUTCMinutes setUTCMinutes getUTCMonth setUTCMonth getUTCSeconds setUTCSeconds valueOf getYear setYear toJSON toLocaleString toLocaleDateString toLocaleTimeString".split(
      " ",
    ),
  RegExp:
    "length name prototype input $_ lastMatch $& lastParen $+ leftContext $` rightContext $' $1 $2 $3 $4 $5 $6 $7 $8 $9".split(
      " ",
    ),
  "RegExp.prototype":
    "constructor exec dotAll flags global hasIndices ignoreCase multiline source sticky unicode compile toString test unicodeSets".split(
      " ",
    ),
  Promise: "length name prototype all allSettled any race resolve reject".split(" "),
  "Promise.prototype": "constructor then catch finally".split(" "),
  Error: "length name prototype captureStackTrace prepareStackTrace stackTraceLimit".split(" "),
  "Error.prototype": "constructor name message toString".split(" "),
  AggregateError: "length name prototype".split(" "),
  "AggregateError.prototype": "constructor name message".split(" "),
  EvalError: "length name prototype".split(" "),
  "EvalError.prototype": "constructor name message".split(" "),
  RangeError: "length name prototype".split(" "),
  "RangeError.prototype": "constructor name message".split(" "),
  ReferenceError: "length name prototype".split(" "),
  "ReferenceError.prototype": "constructor name message".split(" "),
  SyntaxError: "length name prototype".split(" "),
  "SyntaxError.prototype": "constructor name message".split(" "),
  TypeError: "length name prototype".split(" "),
  "TypeError.prototype": "constructor name message".split(" "),
  URIError: "length name prototype".split(" "),
  "URIError.prototype": "constructor name message".split(" "),
  DOMException:
    "length name prototype INDEX_SIZE_ERR DOMSTRING_SIZE_ERR HIERARCHY_REQUEST_ERR WRONG_DOCUMENT_ERR INVALID_CHARACTER_ERR NO_DATA_ALLOWED_ERR NO_MODIFICATION_ALLOWED_ERR NOT_FOUND_ERR NOT_SUPPORTED_ERR INUSE_ATTRIBUTE_ERR INVALID_STATE_ERR SYNTAX_ERR INVALID_MODIFICATION_ERR NAMESPACE_ERR INVALID_ACCESS_ERR VALIDATION_ERR TYPE_MISMATCH_ERR SECURITY_ERR NETWORK_ERR ABORT_ERR URL_MISMATCH_ERR QUOTA_EXCEEDED_ERR TIMEOUT_ERR INVALID_NODE_TYPE_ERR DATA_CLONE_ERR".split(
      " ",
    ),
  "DOMException.prototype":
    "constructor name message code INDEX_SIZE_ERR DOMSTRING_SIZE_ERR HIERARCHY_REQUEST_ERR WRONG_DOCUMENT_ERR INVALID_CHARACTER_ERR NO_DATA_ALLOWED_ERR NO_MODIFICATION_ALLOWED_ERR NOT_FOUND_ERR NOT_SUPPORTED_ERR INUSE_ATTRIBUTE_ERR INVALID_STATE_ERR SYNTAX_ERR INVALID_MODIFICATION_ERR NAMESPACE_ERR INVALID_ACCESS_ERR VALIDATION_ERR TYPE_MISMATCH_ERR SECURITY_ERR NETWORK_ERR ABORT_ERR URL_MISMATCH_ERR QUOTA_EXCEEDED_ERR TIMEOUT_ERR INVALID_NODE_TYPE_ERR DATA_CLONE_ERR".split(
      " ",
    ),
  URL: "length name prototype parse canParse createObjectURL revokeObjectURL".split(" "),
  "URL.prototype":
    "constructor toString href origin protocol username password host hostname port pathname search searchParams hash toJSON".split(
      " ",
    ),
  URLSearchParams: "length name prototype".split(" "),
  "URLSearchParams.prototype":
    "constructor size append delete get getAll has set sort entries forEach keys values toString".split(" "),
  Uint8Array: "length name prototype BYTES_PER_ELEMENT".split(" "),
  "Uint8Array.prototype": "constructor BYTES_PER_ELEMENT".split(" "),
  TextEncoder: "length name prototype".split(" "),
  "TextEncoder.prototype": "constructor encoding encode encodeInto".split(" "),
  TextDecoder: "length name prototype".split(" "),
  "TextDecoder.prototype": "constructor decode encoding fatal ignoreBOM".split(" "),
  TypedArray: "length name prototype of from".split(" "),
  "TypedArray.prototype":
    "constructor buffer byteLength byteOffset length entries keys values at copyWithin every fill filter find findIndex findLast findLastIndex forEach includes indexOf join lastIndexOf map reverse reduce reduceRight set slice some sort subarray toLocaleString toString toReversed toSorted with".split(
      " ",
    ),
  "AsyncFunction.prototype": "constructor".split(" "),
  "Iterator.prototype": [],
  "Array Iterator.prototype": "next".split(" "),
  "String Iterator.prototype": "next".split(" "),
  "RegExp String Iterator.prototype": "next".split(" "),
  "Map Iterator.prototype": "next".split(" "),
  "Set Iterator.prototype": "next".split(" "),
  "URLSearchParams Iterator.prototype": "next".split(" "),
  Math: "abs acos acosh asin asinh atan atanh atan2 ceil cbrt expm1 clz32 cos cosh exp floor fround hypot imul log log1p log2 log10 max min pow random round sign sin sinh sqrt tan tanh trunc E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2".split(
    " ",
  ),
  JSON: "parse stringify".split(" "),
  console:
    "log warn dir time timeEnd timeLog trace assert clear count countReset group groupEnd table debug info dirxml error groupCollapsed _stdoutErrorHandler _stderrErrorHandler _ignoreErrors _times Console profile profileEnd timeStamp context createTask _stdout _stderr".split(
      " ",
    ),
  crypto: "constructor subtle getRandomValues randomUUID".split(" "),
};

export const v8Globals: readonly string[] =
  "Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math Intl ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set WeakMap WeakSet Proxy Reflect FinalizationRegistry WeakRef decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN console process global Buffer clearImmediate setImmediate URL URLSearchParams DOMException AbortController AbortSignal Event EventTarget TextEncoder TextDecoder TransformStream TransformStreamDefaultController WritableStream WritableStreamDefaultController WritableStreamDefaultWriter ReadableStream ReadableStreamDefaultReader ReadableStreamBYOBReader ReadableStreamBYOBRequest ReadableByteStreamController ReadableStreamDefaultController ByteLengthQueuingStrategy CountQueuingStrategy TextEncoderStream TextDecoderStream CompressionStream DecompressionStream clearInterval clearTimeout setInterval setTimeout queueMicrotask structuredClone atob btoa BroadcastChannel MessageChannel MessagePort MessageEvent Blob File Performance PerformanceEntry PerformanceMark PerformanceMeasure PerformanceObserver PerformanceObserverEntryList PerformanceResourceTiming performance fetch FormData Headers Request Response SharedArrayBuffer Atomics WebAssembly crypto Crypto CryptoKey SubtleCrypto CustomEvent".split(
    " ",
  );
