/**
 * A fake engine that has one image and pushes it: straight into the box's repositories, in whatever
 * form the test wants, since a real engine writes only one.
 */

import type { Box } from "./box/box.ts";
import type { Repository } from "./box/ecr_store.ts";
import { putImage } from "./box/images.ts";
import { type Answers, done, type FakeEngine, fakeEngine, pong, refusal } from "./fake_engine.ts";
import type { JobApp } from "./job_app.ts";

/** What the engine has, and what happens at a push. */
export interface PushPlay {
  /** `NAME:TAG` of its image. */
  readonly reference: string;
  /** The image's id, which a push may change. */
  readonly id?: () => string;
  readonly architecture?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Puts the image there, as the registry would have got it; returns the digest. */
  readonly put?: (repository: Repository, tag: string) => Promise<string>;
  /** What it says before the end. */
  readonly messages?: readonly Readonly<Record<string, unknown>>[];
  /** Whether it ends without what it says in the end. */
  readonly breaksOff?: boolean;
}

/** A push that was asked for. */
export interface AskedPush {
  readonly name: string;
  readonly tag: string;
  /** Of the header for the registry. */
  readonly login: Readonly<Record<string, string>>;
}

/** The engine, and what it was asked. */
export interface FakePushes extends FakeEngine {
  readonly pushes: readonly AskedPush[];
  /** Names that the image has besides, or had. */
  readonly names: ReadonlySet<string>;
}

/** Starts one. */
export async function fakePushes(box: Box, play: PushPlay): Promise<FakePushes> {
  const pushes: AskedPush[] = [];
  const names = new Set<string>();
  const image = (name: string): Response => {
    if (name !== play.reference && !names.has(name)) return refusal(404, "No such image");
    return Response.json({
      Id: play.id?.() ?? "sha256:none",
      Created: "2026-03-01T09:30:00Z",
      Os: "linux",
      Architecture: play.architecture ?? "amd64",
      Config: { Labels: play.labels ?? {} },
    });
  };
  const answers: Answers = {
    "GET /_ping": () => pong("1.44"),
    "GET NAME/json": ({ url }) => image(nameIn(url, "/json")),
    "POST NAME/tag": ({ url }) => {
      const { searchParams } = new URL(url);
      names.add(`${searchParams.get("repo")}:${searchParams.get("tag")}`);
      return done(201);
    },
    "DELETE NAME": ({ url }) => {
      names.delete(nameIn(url, ""));
      return Response.json([]);
    },
    "POST NAME/push": async (request) => {
      const { searchParams } = new URL(request.url);
      const asked = {
        name: nameIn(request.url, "/push"),
        tag: searchParams.get("tag") ?? "",
        login: JSON.parse(
          atob(
            (request.headers.get("X-Registry-Auth") ?? "").replaceAll("-", "+").replaceAll(
              "_",
              "/",
            ),
          ),
        ),
      };
      pushes.push(asked);
      const repository = box.ecr.store.repositories.get(asked.name.replace(/^[^/]+\//, ""));
      // In the words of ECR, by the engine.
      if (!repository) {
        return new Response('{"error":"name unknown: The repository does not exist"}');
      }
      const Digest = await play.put?.(repository, asked.tag);
      const end = Digest === undefined || play.breaksOff
        ? []
        : [{ progressDetail: {}, aux: { Tag: asked.tag, Digest, Size: 1 } }];
      const lines = [...play.messages ?? [], ...end];
      return new Response(lines.map((line) => `${JSON.stringify(line)}\r\n`).join(""));
    },
  };
  const engine = await fakeEngine((call) =>
    answers[call.replace(/^(\w+) \/images\/[^/]+/, "$1 NAME")]
  );
  return {
    ...engine,
    get requests() {
      return engine.requests;
    },
    get calls() {
      return engine.calls;
    },
    pushes,
    names,
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}

/** An engine that has the app's image, and pushes it as it is. */
export function pushesOf({ app, box }: Pick<JobApp, "app" | "box">): Promise<FakePushes> {
  return fakePushes(box, {
    reference: `${app.name}:latest`,
    put: (repository, tag) => putImage(box.ecr, repository, { tag }),
  });
}

/** The image that a path names: `/v1.44/images/NAME/push`. */
function nameIn(url: string, end: string): string {
  const path = new URL(url).pathname.replace(/^.*\/images\//, "");
  return decodeURIComponent(path.slice(0, path.length - end.length));
}
