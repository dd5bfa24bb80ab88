import { kindOf } from '../../../src/cli/upload/kind.ts'
import { isAllowed, requireRole } from '../../../src/core/actor.ts'
import { AppError } from '../../../src/core/errors.ts'
import { utcDay } from '../../../src/core/time.ts'
import { findLatestImport, type Import, isRunning, startImport } from '../../../src/sites/imports.ts'
import { createApp, type Http } from '../../http/env.ts'
import { type Errors, fieldsOf, MAX_FILE_BYTES, type Values } from '../forms/form.ts'
import { TABS } from '../menu.ts'
import { CheckField, SelectField, TextField } from '../parts/fields/field.tsx'
import { Notice, Section, TabbedHeading } from '../parts/page.tsx'
import { RequireRole, RoleReason, useAllowed } from '../parts/require-role.tsx'
import { DocsLink, SiteLink } from '../parts/site-link.tsx'
import { By } from '../parts/time.tsx'
import { redirectInSite, sitePath, useSitePath } from '../site.ts'
import { exportStream } from './export.ts'
import { importPages, importPath } from './import-page.tsx'
import { LargeFile } from './large-file.tsx'
import { ownApi } from './own-api.ts'
import type { ImportOptions } from './run.ts'

const PATH = TABS.Settings['Import and export']
const MAX_NAME_LENGTH = 150

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

transfer.route(PATH, importPages)

transfer.post(PATH, async (c) => {
  const ctx = c.get('ctx')
  requireRole(ctx, 'editor')
  const form = await c.req.formData().catch(() => {
    throw new AppError('invalid_body', { path: '', message: 'must be a form' })
  })
  const values = Object.fromEntries(
    [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
  const file = form.get('file')
  if (!(file instanceof File) || file.size === 0)
    return transferPage(c, { values, problem: 'Nothing was imported: choose a file first.' })
  const name = safeName(file.name)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const kind = kindOf(name, bytes)
  if ('problem' in kind)
    return transferPage(c, {
      values,
      problem: `${name} was not imported: ${kind.problem}. Choose a .md, .zip, .xml, .json or .ndjson file.`,
    })
  const { source } = kind
  if (values.cut === 'on' || bytes.length > MAX_FILE_BYTES)
    return transferPage(c, { values, large: { name, source, bytes }, status: 413 })
  const oldUrl = readUrl(values.oldUrl)
  if (oldUrl === null) return transferPage(c, { values, errors: { oldUrl: 'must be an http or https URL' } })
  const options: ImportOptions = {
    as: values.as === 'guides' ? 'guides' : 'posts',
    pages: values.pages === 'on' ? 'guides' : 'none',
    settings: values.settings === 'on' && isAllowed(ctx.actor!, 'admin'),
    sendEvents: values.events === 'on',
    ...((values.status === 'published' || values.status === 'draft') && { status: values.status }),
    ...(oldUrl && { oldUrl }),
  }
  const id = await startImport(ctx, c.get('site'), { name, source, options, bytes })
  if (id === null)
    return transferPage(c, {
      values,
      problem: `${name} was not imported: another import is running. Try again when it has ended.`,
      status: 409,
    })
  return redirectInSite(c, importPath(id))
})

/** Without folders, control characters and leading dots. */
function safeName(name: string): string {
  const own = name
    .replace(/^.*[/\\]/s, '')
    .replace(/\p{Cc}/gu, '')
    .slice(-MAX_NAME_LENGTH)
    .replace(/^\.+/, '')
  return own.toWellFormed() || 'file'
}

/** Null if it is no web address. */
function readUrl(text = ''): string | undefined | null {
  if (text.trim() === '') return undefined
  const url = URL.parse(text.trim())
  return url && /^https?:$/.test(url.protocol) && !url.search && !url.hash
    ? url.href.replace(/\/+$/, '')
    : null
}

type Refused = {
  values?: Values
  errors?: Errors
  problem?: string
  large?: Parameters<typeof LargeFile>[0]
  status?: 400 | 409 | 413
}

const LATEST: Record<Import['phase'], string> = {
  uploading: 'Uploading',
  checking: 'Running',
  checked: 'Preview',
  importing: 'Running',
  ended: 'Last import',
}

async function transferPage(c: Http, refused: Refused = {}) {
  const { problem, large, errors, status = 400 } = refused
  if (problem || large || errors) c.status(status)
  const latest = await findLatestImport(c.get('ctx'), c.get('site'))
  const isActive = latest !== undefined && isRunning(latest)
  return c.render(
    <>
      <TabbedHeading title="Settings" current="Import and export" />
      {problem && <Notice tone="danger">{problem}</Notice>}
      {large && <LargeFile {...large} />}
      <Section
        id="import"
        title="Import"
        lead="A Markdown file, a zip of a Markdown folder, a WordPress or Ghost export, or an export of a site here. You see a preview first."
      >
        {latest && (
          <p class="muted">
            {LATEST[latest.phase]}: <SiteLink to={importPath(latest.id)}>{latest.name}</SiteLink>
            <By name={latest.startedBy} />
          </p>
        )}
        {!isActive && <ImportForm {...refused} />}
      </Section>
      <Section
        id="export"
        title="Export"
        lead="Posts, guides, redirects, training rows and settings as lines of JSON, without keys, webhooks and people."
      >
        <a class="button" href={sitePath(c, `${PATH}/export`)} download>
          Export
        </a>
      </Section>
    </>,
    { tab: 'Settings', title: 'Import and export', isNarrow: true },
  )
}

function ImportForm({ values = {}, errors = {} }: Refused) {
  const path = useSitePath()
  if (!useAllowed('editor')) return <RoleReason needs="editor" />
  const field = fieldsOf(values, errors)
  return (
    <form method="post" action={path(PATH)} enctype="multipart/form-data" class="fields">
      <div class="field">
        <label for="file">File</label>
        <input
          id="file"
          name="file"
          type="file"
          accept=".md,.mdx,.markdown,.zip,.xml,.json,.ndjson,.jsonl"
          data-max-bytes={MAX_FILE_BYTES}
          required
        />
        <p class="hint">
          Choose a file, or drop it here. Up to 8 MiB. For larger files, use the{' '}
          <DocsLink to="moving#the-command-line">command line</DocsLink>.
        </p>
      </div>
      <details open={Object.keys(errors).length > 0}>
        <summary>Options</summary>
        <div class="fields">
          <SelectField
            label="Status"
            {...field('status')}
            options={[
              ['', 'As in the file'],
              ['published', 'Published, except drafts'],
              ['draft', 'Draft'],
            ]}
          />
          <SelectField
            label="Markdown becomes"
            {...field('as')}
            options={[
              ['posts', 'Posts'],
              ['guides', 'Guides'],
            ]}
          />
          <TextField
            label="Former address"
            {...field('oldUrl')}
            type="url"
            placeholder="https://example.com/blog"
            hint="For Markdown and Ghost. Links to it become links to the articles."
          />
          <CheckField
            label="Import pages of WordPress and Ghost as guides"
            name="pages"
            checked={values.pages === 'on'}
          />
          <CheckField
            label="Send events for published posts"
            name="events"
            checked={values.events === 'on'}
            hint="Otherwise webhooks are not called."
          />
          <RequireRole needs="admin">
            <CheckField
              label="Import the settings of an export"
              name="settings"
              checked={values.settings === 'on'}
              hint="Replaces the name, domain, paths, plan and quota of this site."
            />
          </RequireRole>
        </div>
      </details>
      <div class="actions">
        <button type="submit" class="button primary" data-busy="Uploading…">
          Preview import
        </button>
      </div>
    </form>
  )
}
