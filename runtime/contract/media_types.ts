/**
 * The content type of a request's body, where the user does not name one.
 *
 * @module
 */

/** By a file name's extension. Types as SageMaker's own containers name them. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  csv: "text/csv",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  jsonl: "application/jsonlines",
  libsvm: "text/libsvm",
  ndjson: "application/jsonlines",
  npy: "application/x-npy",
  npz: "application/x-npz",
  parquet: "application/x-parquet",
  png: "image/png",
  recordio: "application/x-recordio-protobuf",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  wav: "audio/wav",
};

/** The type of a body about which nothing is known. */
const UNKNOWN = "application/octet-stream";

/** The content type of a file, by its name. */
export function typeOfFile(name: string): string {
  const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(BY_EXTENSION, extension) ? BY_EXTENSION[extension]! : UNKNOWN;
}

/** What each .npy file begins with: numpy.lib.format, `MAGIC_PREFIX`. */
const NUMPY = [0x93, ...new TextEncoder().encode("NUMPY")];

/**
 * The content type of a body without a name, by how it begins: JSON is an object or an array, NumPy
 * has its mark, any other text counts as CSV, since that is what people pipe into a model.
 */
export function typeOfBytes(start: Uint8Array): string {
  if (NUMPY.every((byte, index) => start[index] === byte)) return "application/x-npy";
  let text: string;
  try {
    // As a stream: the last character may have been cut in two.
    text = new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
  } catch {
    return UNKNOWN;
  }
  if (text.includes("\0")) return UNKNOWN;
  return /^\s*[[{]/.test(text) ? "application/json" : "text/csv";
}
