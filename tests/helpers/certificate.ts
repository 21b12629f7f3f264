import { assertEquals } from "@std/assert";
import { join } from "@std/path";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Makes a certificate for a server on 127.0.0.1, signed by itself, with openssl: `cert.pem` and
 * `key.pem` in the directory.
 */
export async function makeCertificate(directory: string): Promise<Certificate> {
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", "2", "-subj", "/CN=127.0.0.1"],
      ...["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem"],
    ],
    cwd: directory,
    stdin: "null",
  }).output();
  assertEquals([success, success || new TextDecoder().decode(stderr)], [true, true]);
  return {
    cert: await Deno.readTextFile(join(directory, "cert.pem")),
    key: await Deno.readTextFile(join(directory, "key.pem")),
  };
}
