import { kindOf } from '../../../src/cli/upload/kind.ts'
import { isAllowed, requireRole } from '../../../src/core/actor.ts'
import { utcDay } from '../../../src/core/time.ts'
import { findLatestImport, type Import, isRunning, startImport } from '../../../src/sites/imports.ts'
import { createApp, type Http } from '../../http/env.ts'
import { type Errors, fieldsOf, MAX_FILE_BYTES, readForm, type Values } from '../forms/form.ts'
import { TABS } from '../menu.ts'
import { CheckField, SelectField, TextField } from '../parts/fields/field.tsx'
import { Form } from '../parts/fields/form.tsx'
import { ErrorSummary, Section, TabbedHeading } from '../parts/page.tsx'
import { RequireRole } from '../parts/require-role.tsx'
import { DocsLink, SiteLink } from '../parts/site-link.tsx'
import { By, Time } from '../parts/time.tsx'
import { CommandSnippet } from '../request-snippet.tsx'
import { redirectInSite, sitePath } from '../site.ts'
import { exportStream } from './export.ts'
import { importPages, importPath } from './import-page.tsx'
import { outcomeOf } from './outcome.ts'
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
  const values = await readForm(c)
  const { file } = await c.req.parseBody()
  if (!(file instanceof File) || file.size === 0)
    return transferPage(c, { values, errors: { file: 'Nothing was imported: choose a file first' } })
  const name = safeName(file.name)
  const bytes = new Uint8Array(await file.arrayBuffer())
  const kind = kindOf(name, bytes)
  if ('problem' in kind)
    return transferPage(c, {
      values,
      errors: {
        file: `The file ${name} was not imported: ${kind.problem}. Choose a .md, .zip, .xml, .json or .ndjson file`,
      },
    })
  if (bytes.length > MAX_FILE_BYTES)
    return transferPage(c, {
      values,
      errors: {
        file: `The file ${name} was not imported: it is larger than 8 MiB. Use a command below`,
      },
      status: 413,
    })
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
  const id = await startImport(ctx, c.get('site'), { name, source: kind.source, options, bytes })
  if (id !== null) return redirectInSite(c, importPath(id))
  const errors = { '': 'Another import is running: try again when it has ended' }
  return transferPage(c, { values, errors, status: 409 })
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

type Refused = { values?: Values; errors?: Errors; status?: 400 | 409 | 413 }

const LATEST: Record<Import['phase'], string> = {
  uploading: 'Uploading',
  checking: 'Running',
  checked: 'Preview',
  importing: 'Running',
  ended: 'Last import',
}

async function transferPage(c: Http, { values = {}, errors = {}, status = 400 }: Refused = {}) {
  if (Object.keys(errors).length > 0) c.status(status)
  const latest = await findLatestImport(c.get('ctx'), c.get('site'))
  const isActive = latest !== undefined && isRunning(latest)
  return c.render(
    <>
      <TabbedHeading title="Settings" current="Import and export" />
      <ErrorSummary errors={errors} done="imported" />
      <Section
        id="import"
        title="Import"
        lead="A Markdown file, a zip of a Markdown folder, a WordPress or Ghost export, or an export of a site here. You see a preview first."
      >
        {latest && <LatestImport latest={latest} isActive={isActive} />}
        {!isActive && <ImportForm values={values} errors={errors} />}
        <LargeFiles site={c.get('site').id} />
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

/** One line with the figures. The page of the import has the details. */
function LatestImport({ latest, isActive }: { latest: Import; isActive: boolean }) {
  const { id, phase, name, startedBy, createdAt, confirmedAt } = latest
  const { figures } = outcomeOf(latest)
  const counts = figures
    .filter(({ count, note }) => count > 0 && !note)
    .map(({ count, title }) => `${count.toLocaleString('en')} ${title.toLowerCase()}`)
  return (
    <p class="muted">
      {LATEST[phase]}: <SiteLink to={importPath(id)}>{name}</SiteLink>
      <By name={startedBy} /> <Time at={confirmedAt ?? createdAt} isRelative />
      {!isActive && `: ${counts.join(', ') || 'nothing imported'}`}
    </p>
  )
}

function LargeFiles({ site }: { site: string }) {
  return (
    <details>
      <summary>Files above 8 MiB</summary>
      <p class="muted">
        Run one of these in a clone of the service, with your token in <code>HCA_TOKEN</code>.{' '}
        <DocsLink to="moving#the-command-line">Get the command line</DocsLink>
      </p>
      <CommandSnippet title="Markdown" command={`import markdown ${site} FOLDER`} />
      <CommandSnippet title="WordPress" command={`import wordpress ${site} export.xml`} />
      <CommandSnippet title="Ghost" command={`import ghost ${site} export.json`} />
      <CommandSnippet title="Export of a site" command={`import ndjson ${site} site.ndjson`} />
    </details>
  )
}

function ImportForm({ values, errors }: { values: Values; errors: Errors }) {
  const field = fieldsOf(values, errors)
  return (
    <Form
      needs="editor"
      action={PATH}
      enctype="multipart/form-data"
      submit="Preview import"
      data-busy="Uploading…"
    >
      <TextField
        label="File"
        name="file"
        type="file"
        error={errors.file}
        accept=".md,.mdx,.markdown,.zip,.xml,.json,.ndjson,.jsonl"
        data-max-bytes={MAX_FILE_BYTES}
        hint={'Choose a file, or drop it here. Up to 8 MiB.'}
        required
      />
      <details open={Boolean(errors.oldUrl)}>
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
            hint="For Markdown and Ghost. Links to it become links to the posts and guides here."
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
    </Form>
  )
}
