/** Import and export up to 8 MiB. Larger sites get the command to run. */
import type { Child } from 'hono/jsx'
import { isAllowed, requireRole } from '../../../src/core/actor.ts'
import { AppError } from '../../../src/core/errors.ts'
import { utcDay } from '../../../src/core/time.ts'
import { Failure } from '../../../src/transfer/failure.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { MAX_FILE_BYTES } from '../forms/form.ts'
import { Snippet } from '../parts/copy.tsx'
import { CheckField } from '../parts/fields/field.tsx'
import { Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { RequireRole, RoleReason, useAllowed } from '../parts/require-role.tsx'
import { SETTINGS_PAGES, SettingsHeading } from '../settings/heading.tsx'
import { sitePath, useSitePath } from '../site.ts'
import { exportStream } from './export.ts'
import { importText } from './import.ts'
import { ownApi } from './own-api.ts'
import { CheckResult, ImportedResult } from './result.tsx'

const PATH = SETTINGS_PAGES['Import and export']

export const transfer = createApp()

transfer.get(PATH, (c) => transferPage(c))

transfer.get(`${PATH}/export`, async (c) => {
  const { id, domain } = c.get('site')
  const name = `${domain}-${utcDay(new Date())}.ndjson`
  return c.body(await exportStream(ownApi(c), id), 200, {
    'Content-Type': 'application/x-ndjson',
    'Content-Disposition': `attachment; filename="${name}"`,
  })
})

transfer.post(PATH, async (c) => {
  const ctx = c.get('ctx')
  requireRole(ctx, 'editor')
  const form = await readFile(c)
  if ('problem' in form) return transferPage(c, form.problem)
  const { text, sendEvents, isCheck } = form
  const settings = form.settings && isAllowed(ctx.actor!, 'admin')
  const options = { sendEvents, settings, dryRun: isCheck }
  try {
    const result = await importText(ownApi(c), c.get('site'), text, options)
    const page = isCheck ? (
      <CheckResult result={result} path={sitePath(c, PATH)} file={{ text, sendEvents, settings }} />
    ) : (
      <ImportedResult result={result} />
    )
    return c.render(page, { tab: 'Settings', title: isCheck ? 'Import preview' : 'Import finished' })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return transferPage(c, `${error.message}.`)
  }
})

type Given = { text: string; sendEvents: boolean; settings: boolean; isCheck: boolean } | { problem: string }

/** The uploaded file, or its text after a check. */
async function readFile(c: Http): Promise<Given> {
  const form = await c.req.formData().catch(() => {
    throw new AppError('invalid_body', { path: '', message: 'must be a form' })
  })
  const file = form.get('file')
  const bytes = file instanceof File ? new Uint8Array(await file.arrayBuffer()) : null
  if (file === null || bytes?.byteLength === 0) return { problem: 'Choose a file first.' }
  // A form turns LF into CRLF.
  const text = bytes ? decode(bytes) : String(file).replaceAll('\r\n', '\n')
  if (text === null) return { problem: 'The file is not UTF-8 text.' }
  if ((bytes?.byteLength ?? text.length) > MAX_FILE_BYTES)
    return { problem: 'The file is larger than 8 MiB.' }
  const isOn = (name: string) => form.get(name) === 'on'
  return {
    text,
    sendEvents: isOn('events'),
    settings: isOn('settings'),
    isCheck: form.get('do') !== 'import',
  }
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return null
  }
}

function transferPage(c: Http, problem?: string) {
  if (problem) c.status(400)
  const { id } = c.get('site')
  return c.render(
    <>
      <SettingsHeading current="Import and export" />
      {problem && <Notice tone="danger">{problem}</Notice>}
      <Section
        id="export"
        title="Export"
        lead="Posts, guides, redirects, training rows and settings as lines of JSON, without keys, webhooks and people."
      >
        <a class="button" href={sitePath(c, `${PATH}/export`)} download>
          Export
        </a>
      </Section>
      <Section
        id="import"
        title="Import"
        lead="Import an export of this site or another one. You see a preview first. Articles are matched by origin, or else by slug. Post IDs in the file are ignored."
      >
        <ImportForm />
        <Command why="For files larger than 8 MiB, use the command line:">
          {`npm run -s admin -- import ndjson ${id} FILE.ndjson`}
        </Command>
      </Section>
    </>,
    { tab: 'Settings', title: 'Import and export' },
  )
}

function ImportForm() {
  const path = useSitePath()
  if (!useAllowed('editor')) return <RoleReason needs="editor" />
  return (
    <form method="post" action={path(PATH)} enctype="multipart/form-data" class="fields">
      <div class="field">
        <label for="file">File</label>
        <input id="file" name="file" type="file" accept=".ndjson,.jsonl,application/x-ndjson" required />
      </div>
      <CheckField
        label="Send events for published posts"
        name="events"
        checked={false}
        hint="Sends the events that the webhooks have turned on. Otherwise none are sent, only counted."
      />
      <RequireRole needs="admin">
        <CheckField
          label="Import the settings"
          name="settings"
          checked={false}
          hint="Replaces the name, domain, paths, plan and quota of this site with those in the file."
        />
      </RequireRole>
      <div class="actions">
        <button type="submit" name="do" value="check" class="button primary" data-busy="Checking…">
          Preview import
        </button>
      </div>
    </form>
  )
}

function Command({ why, children }: { why: string; children: Child }) {
  return (
    <>
      <p class="muted">{why}</p>
      <Snippet title="Command" text={String(children)} />
    </>
  )
}
