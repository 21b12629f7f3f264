/**
 * Other properties of an object for as long as a test needs them: what the system cannot be asked
 * for, such as a terminal, or a file that root may not read. Other test files do not see them.
 */

/** Puts the values in the place of an object's properties until it is disposed of. */
export function replaced<T extends object>(
  object: T,
  values: Partial<Record<keyof T, unknown>>,
): Disposable {
  const before = Object.keys(values).map((key) =>
    [key, Object.getOwnPropertyDescriptor(object, key)] as const
  );
  for (const [key, value] of Object.entries(values)) {
    Object.defineProperty(object, key, { value, configurable: true, writable: true });
  }
  return {
    [Symbol.dispose]() {
      for (const [key, descriptor] of before) {
        if (descriptor) Object.defineProperty(object, key, descriptor);
        else delete object[key as keyof T];
      }
    },
  };
}

/** Hides a file of this machine, such as the socket of its own engine. */
export function hiding(hidden: string): Disposable {
  const { statSync } = Deno;
  return replaced(Deno, {
    statSync(path: string) {
      if (path === hidden) throw new Deno.errors.NotFound(hidden);
      return statSync(path);
    },
  });
}
