/** Runs a program of Python in a directory: it can make any name, and what Deno cannot make. */
export function python(directory: string, program: string): void {
  const code = `import os, socket\nos.chdir(${JSON.stringify(directory)})\n${program}`;
  const { success, stderr } = new Deno.Command("python3", { args: ["-c", code] }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
