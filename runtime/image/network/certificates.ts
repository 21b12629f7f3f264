/**
 * Certificates of authorities that this machine trusts beside the public ones: a company's proxy,
 * its package index.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { System } from "../../context.ts";
import { fileErrorReason } from "../../errors.ts";
import { readTextFile } from "../../files.ts";

/** Where an administrator puts certificates, for the system's own bundle to be made of. */
const ANCHORS = [
  "usr/local/share/ca-certificates", // Debian, Ubuntu, Alpine
  "etc/pki/ca-trust/source/anchors", // Fedora, Red Hat
  "etc/pki/trust/anchors", // SUSE
  "etc/ca-certificates/trust-source/anchors", // Arch
];

/** Variables that name a file of certificates, for pip (by its requests), OpenSSL and uv. */
export const CERTIFICATE_VARIABLES = [
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "SSL_CERT_FILE",
] as const;

/** The largest bundle, in bytes: a system's own has a quarter of one MiB. */
const LARGEST_BUNDLE = 8 * 1024 ** 2;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * The certificates in a file, as PEM, and nothing else that it holds: a private key in the same file
 * stays where it is.
 *
 * @throws Error with the reason, where it cannot be read or holds none.
 */
export async function certificatesIn(path: string): Promise<string> {
  const found = await readCertificates(path);
  if (found === "") throw new Error("it holds no certificate (-----BEGIN CERTIFICATE-----)");
  return found;
}

async function readCertificates(path: string): Promise<string> {
  let text: string;
  try {
    text = await readTextFile(path, LARGEST_BUNDLE);
  } catch (error) {
    throw new Error(fileErrorReason(error), { cause: error });
  }
  return (text.match(CERTIFICATE) ?? [])
    .map((certificate) => `${certificate.replaceAll("\r\n", "\n")}\n`).join("");
}

/** What was added to the certificates of this system, and where it lies; empty where nothing was. */
export async function addedCertificates(
  { os, root }: System,
): Promise<{ readonly pem: string; readonly folder: string }> {
  if (os !== "linux") return { pem: "", folder: "" };
  for (const folder of ANCHORS.map((path) => join(root, path))) {
    // What is not there, or may not be read, adds nothing.
    const texts = await Promise.all(
      (await filesBelow(folder)).map((path) => readCertificates(path).catch(() => "")),
    );
    const pem = texts.join("");
    if (pem !== "") return { pem, folder };
  }
  return { pem: "", folder: "" };
}

/** Sorted, so that the same files are the same text. */
async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  const paths = await Promise.all(
    entries.map(async ({ name, isDirectory }) =>
      isDirectory ? await filesBelow(join(folder, name)) : [join(folder, name)]
    ),
  );
  return paths.flat().filter((path) => /\.(crt|pem|cer)$/i.test(path)).sort();
}
