import { SEPARATOR } from "@std/path/constants";
import { MlcliError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";

/** Characters that a terminal obeys or that hide others, and what is not UTF-8. */
const UNFIT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\\ufffd]/u;
/** Microsoft, "Naming Files, Paths, and Namespaces". */
const UNFIT_ON_WINDOWS = /[<>:"|?*]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * The names of an object's file, below the directory that a prefix becomes. A key may be any text.
 *
 * @throws MlcliError for one that would lead out of the directory, or can be no file.
 */
export function pathBelow(
  key: string,
  prefix: string,
  separator: string = SEPARATOR,
): readonly string[] {
  const names = key.slice(prefix.length).split("/");
  const isUnfit = names.some((name) =>
    ["", ".", ".."].includes(name) || UNFIT.test(name) ||
    separator === "\\" && UNFIT_ON_WINDOWS.test(name)
  );
  if (!isUnfit && key.startsWith(prefix)) return names;
  throw new MlcliError(`Cannot save S3 object ${inOneLine(key)}: its key is not a valid path`, {
    hint: "Nothing was downloaded. Rename the object in S3, for example with aws s3 mv.",
  });
}
