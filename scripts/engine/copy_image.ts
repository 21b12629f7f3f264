/** Copies an image from one engine to another, as `docker save | docker load` does. */

import { parseHost } from "../../runtime/docker/locate.ts";
import { openTransport, type Transport } from "../../runtime/docker/transport.ts";
import { MlcliError } from "../../runtime/errors.ts";
import { step } from "../script.ts";
import { ensureBaseImage } from "./base_image.ts";
import { ensureEngine } from "./engine.ts";

/** Docker 20.10 and today's, and Podman 4 speak it. */
const VERSION = "/v1.41";

/**
 * Brings the image that the tests on this machine's Docker use to another engine.
 * @returns its name there.
 */
export async function bringBaseImage(to: string, signal: AbortSignal): Promise<string> {
  return await step("Copying the base image", async () => {
    const engine = await ensureEngine(signal);
    try {
      const image = await ensureBaseImage("plain", engine, signal);
      return await copyImage(image, engine.address, to, signal);
    } finally {
      engine.close();
    }
  });
}

/**
 * Copies an image; it passes as a stream.
 * @param from the engine that has it, as `DOCKER_HOST` would name it; so is `to`.
 * @returns the image's name on the other engine: Podman puts `localhost/` before it.
 */
export async function copyImage(
  reference: string,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<string> {
  const source = await open(from);
  try {
    const path = `${VERSION}/images/${encodeURIComponent(reference)}/get`;
    const saved = await source.request("GET", path, { expect: [200], signal });
    return await load(ReadableStream.from(saved.body), to, signal);
  } finally {
    source.close();
  }
}

async function load(
  tar: ReadableStream<Uint8Array>,
  to: string,
  signal: AbortSignal,
): Promise<string> {
  const target = await open(to);
  try {
    const path = `${VERSION}/images/load?quiet=1`;
    const response = await target.request("POST", path, { expect: [200], tar, signal });
    const answer = await response.text();
    const name = loadedImage(answer);
    if (!name) throw new MlcliError("The image was not loaded", { quote: answer });
    return name;
  } finally {
    target.close();
  }
}

/** The name in an answer like `{"stream":"Loaded image: localhost/python:3.12\n"}`. */
export function loadedImage(answer: string): string | undefined {
  return /Loaded image(?:\(s\))?: ([^\s"\\,]+)/.exec(answer)?.[1];
}

function open(host: string): Promise<Transport> {
  return openTransport(parseHost(host, (name) => Deno.env.get(name)));
}
