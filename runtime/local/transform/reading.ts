/** The data of a file as a model gets it. */

import type { Transformation } from "../../archive/node_streams.ts";
import type { Transform } from "../../contract/transform.ts";
import { UnfitRecord } from "../../contract/transform_filters.ts";
import type { InputFile } from "./inputs.ts";

/** How much of a file is read at a time. */
const PIECE = 1024 ** 2;

type Pieces = AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;

/**
 * @param onRead hears how many bytes of the file were read.
 * @throws UnfitRecord where it cannot be unpacked; Error of the system.
 */
export async function* dataOf(
  { path }: InputFile,
  { compression }: Pick<Transform, "compression">,
  onRead: (bytes: number) => void = () => {},
): Pieces {
  async function* pieces(): Pieces {
    using file = await Deno.open(path);
    const buffer = new Uint8Array(PIECE);
    for (let count = await file.read(buffer); count !== null; count = await file.read(buffer)) {
      onRead(count);
      yield buffer.slice(0, count);
    }
  }
  if (compression === "none") return yield* pieces();
  const [{ passedThrough }, { createGunzip }] = await Promise.all([
    import("../../archive/node_streams.ts"),
    import("node:zlib"),
  ]);
  try {
    yield* passedThrough(createGunzip() as unknown as Transformation, pieces()) as Pieces;
  } catch (error) {
    const isBroken = error instanceof Error && "code" in error && /^Z_/.test(String(error.code));
    throw isBroken ? new UnfitRecord(`it cannot be unpacked: ${error.message}`) : error;
  }
}
