import { assertEquals } from "@std/assert";

/** Fails where the bytes differ, and says where, in a line: `assertEquals` would show millions. */
export function assertSameBytes(actual: Uint8Array, expected: Uint8Array): void {
  const different = actual.findIndex((byte, index) => byte !== expected[index]);
  const shown = (bytes: Uint8Array) => ({ length: bytes.length, at: bytes[different] });
  assertEquals({ different, ...shown(actual) }, { different: -1, ...shown(expected) });
}
