/** A file above the console's limit: the page names the command that imports it. */
import { createMiddleware } from 'hono/factory'
import { type ImportSource, isZip, packedExport } from '../../../src/cli/upload/kind.ts'
import type { Env } from '../../http/env.ts'
import { MAX_FORM_BYTES } from '../forms/form.ts'
import { Notice, Section } from '../parts/page.tsx'
import { DocsLink } from '../parts/site-link.tsx'
import { CommandSnippet } from '../request-snippet.tsx'
import { useRequestContext } from '../site.ts'

/** Fits the file's name, and the bytes that show its kind. */
const START_BYTES = 64 * 1024

/**
 * Cuts a form above the limit after its first bytes, and marks it with a field. The page needs no more, and can have the
 * site's menu. The script does the same before it uploads.
 */
export const cutLargeFile = createMiddleware<Env>(async function cutLargeFile(c, next) {
  const { body } = c.req.raw
  const [, boundary] = /\bboundary="?([^";]+)/.exec(c.req.header('Content-Type') ?? '') ?? []
  if (!body || !boundary || !(Number(c.req.header('Content-Length')) > MAX_FORM_BYTES)) return next()
  const parts: (Uint8Array<ArrayBuffer> | string)[] = []
  let size = 0
  for await (const part of body as ReadableStream<Uint8Array<ArrayBuffer>>) {
    parts.push(part.slice(0, START_BYTES - size))
    size += part.length
    if (size >= START_BYTES) break
  }
  parts.push(
    `\r\n--${boundary}\r\nContent-Disposition: form-data; name="cut"\r\n\r\non\r\n--${boundary}--\r\n`,
  )
  const cut = new Blob(parts)
  const headers = new Headers(c.req.raw.headers)
  headers.set('Content-Length', String(cut.size))
  c.req.raw = new Request(c.req.url, { method: c.req.method, headers, body: cut })
  return next()
})

type Large = { name: string; source: ImportSource; bytes: Uint8Array }

export function LargeFile({ name, source, bytes }: Large) {
  const { id } = useRequestContext().get('site')
  const isPacked = isZip(bytes)
  if (source === 'markdown' && !isPacked)
    return (
      <Notice tone="danger">
        {name} was not imported: it is larger than 8 MiB. No article may be larger, so split it.
      </Notice>
    )
  const packed = isPacked ? packedExport(bytes) : { source, name }
  const file = packed?.name ?? name.replace(/\.[^.]+$/, '')
  return (
    <>
      <Notice tone="danger">{name} was not imported: it is larger than 8 MiB.</Notice>
      <Section
        id="large"
        title="Import it with the command line"
        lead={
          <>
            {isPacked && 'Unpack the zip first. '}
            Run this in a clone of the service, with your token in <code>HCA_TOKEN</code>.{' '}
            <DocsLink to="moving#the-command-line">Get the command line</DocsLink>
          </>
        }
      >
        <CommandSnippet
          title="Command"
          command={`import ${packed?.source ?? source} ${id} ${shellWord(file)}`}
        />
      </Section>
    </>
  )
}

/** Quoted if needed. Does not begin like a flag. */
function shellWord(name: string): string {
  const path = name.startsWith('-') ? `./${name}` : name
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
