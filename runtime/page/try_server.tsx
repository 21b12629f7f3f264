/** A form that sends a request to a server, and shows its answer. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Failed, Scrolled, usePage } from "./parts.tsx";
import { answerText, curlLine } from "./request.ts";
import type { ServerAnswer } from "./source.ts";

interface TryProps {
  readonly port: number;
  /** The app that is served. */
  readonly served: string;
}

/** What was typed for a server, by app and port: it comes and goes. */
const typed = new Map<string, { contentType: string; accept: string; text: string }>();

export function TryServer({ port, served }: TryProps): JSX.Element {
  const { source, app } = usePage();
  const sample = app.app === served ? app.sample : null;
  const key = `${served} ${port}`;
  const before = typed.get(key);
  const [form, setForm] = useState(
    before ?? {
      contentType: sample?.content_type ?? "application/json",
      accept: "",
      text: sample?.body.trimEnd() ?? "",
    },
  );
  const change = (part: Partial<typeof form>): void => {
    const now = { ...form, ...part };
    typed.set(key, now);
    setForm(now);
  };
  const { contentType, accept, text } = form;
  const [file, setFile] = useState<File>();
  const [isSending, setSending] = useState(false);
  const [result, setResult] = useState<JSX.Element>();
  const [copied, setCopied] = useState("");
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setSending(true);
    const asked = source.ask(port, { contentType, accept, body: file ?? text });
    setResult(
      await asked.then(
        (answer) => <Answer of={answer} port={port} />,
        (error) => <Failed error={error} />,
      ),
    );
    setSending(false);
  };
  const body = file ? { file: file.name } : { text };
  const line = curlLine({ port, contentType, accept, body });
  return (
    <details open={before !== undefined}>
      <summary>Try it</summary>
      <form onSubmit={send}>
        <label>
          Content type{" "}
          <input
            value={contentType}
            list="types"
            required
            onInput={(event) => change({ contentType: event.currentTarget.value })}
          />
        </label>
        <label>
          Accept (optional){" "}
          <input
            value={accept}
            list="types"
            onInput={(event) => change({ accept: event.currentTarget.value })}
          />
        </label>
        <label>
          Request
          <textarea
            rows={5}
            spellcheck={false}
            disabled={file !== undefined}
            value={text}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
        </label>
        <label>
          File (instead of text){" "}
          <input type="file" onChange={(event) => setFile(event.currentTarget.files?.[0])} />
        </label>
        <button type="submit" disabled={isSending}>Send</button>
        <div role="status">{isSending ? "Waiting for the response…" : result}</div>
        <pre>{line}</pre>
        {/* A page that is not on this machine, and not behind HTTPS, has no clipboard. */}
        {navigator.clipboard && (
          <button
            type="button"
            onClick={() => navigator.clipboard.writeText(line).then(() => setCopied(line))}
          >
            {copied === line ? "Copied" : "Copy as curl command"}
          </button>
        )}
      </form>
    </details>
  );
}

function Answer({ of, port }: Readonly<{ of: ServerAnswer; port: number }>): JSX.Element {
  const { status, contentType, milliseconds, body } = of;
  return (
    <>
      <p>HTTP {status}, {contentType || "no content type"}, {milliseconds} ms</p>
      <Scrolled label={`Response from port ${port}`}>
        <pre>{answerText(contentType, body)}</pre>
      </Scrolled>
    </>
  );
}
