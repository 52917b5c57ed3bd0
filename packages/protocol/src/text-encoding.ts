import { configureTextEncoding } from "@bufbuild/protobuf/wire";

const encoder = new TextEncoder();
// Without this, a text loses the byte order mark that it begins with, as files of sources may.
const keepingMarks = { ignoreBOM: true };
const decoder = new TextDecoder("utf-8", keepingMarks);
const strictDecoder = new TextDecoder("utf-8", { ...keepingMarks, fatal: true });

configureTextEncoding({
  encodeUtf8: (text) => encoder.encode(text),
  decodeUtf8: (bytes, strict) => (strict === true ? strictDecoder : decoder).decode(bytes),
  checkUtf8: (text) => !/\p{Surrogate}/u.test(text),
});
