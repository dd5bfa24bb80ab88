/** An import: its progress, the preview, and the report. */
import type { ImportReport } from '../../../src/cli/upload/load.ts'
import {
  confirmImport,
  getImport,
  type Import,
  isRunning,
  roleFor,
  stopImport,
} from '../../../src/sites/imports.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { By } from '../parts/by.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { RoleReason, useAllowed } from '../parts/require-role.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { SETTINGS_PAGES, SettingsHeading } from '../settings/heading.tsx'
import { redirectInSite } from '../site.ts'
import { outcomeOf } from './outcome.ts'

const LIST = SETTINGS_PAGES['Import and export']
const MAX_SHOWN = 500

export const importPath = (id: string) => `${LIST}/imports/${id}`

/** Mounted on the page of imports and exports. */
export const importPages = createApp()

const importIn = (c: Http) => getImport(c.get('ctx'), c.get('site'), idOf(c, 'importId', 'not_found'))

importPages.get('/imports/:importId', async (c) => importPage(c, await importIn(c)))

importPages.post('/imports/:importId/start', async (c) => {
  const found = await importIn(c)
  const isStarted = await confirmImport(c.get('ctx'), c.get('site'), found)
  // Another click may have started it.
  if (isStarted || (await importIn(c)).phase !== 'checked') return redirectInSite(c, importPath(found.id))
  c.status(409)
  return importPage(c, found, 'Nothing was imported: another import is running. Try again when it has ended.')
})

importPages.post('/imports/:importId/stop', async (c) => {
  const { id, phase } = await importIn(c)
  await stopImport(c.get('ctx'), c.get('site'), id)
  return redirectInSite(c, phase === 'importing' ? importPath(id) : LIST)
})

const TITLES: Record<Import['phase'], string> = {
  uploading: 'Uploading',
  checking: 'Checking the file',
  checked: 'Import preview',
  importing: 'Importing',
  ended: 'Import finished',
}

function importPage(c: Http, found: Import, problem?: string) {
  const { phase } = found
  const isActive = isRunning(found)
  const ending = found.confirmedAt ? 'Import ended early' : 'Nothing imported'
  const title = found.problem === null || phase !== 'ended' ? TITLES[phase] : ending
  return c.render(
    <>
      <SettingsHeading current="Import and export" />
      {problem && <Notice tone="danger">{problem}</Notice>}
      <Section
        id="import"
        title={title}
        lead={
          <>
            <bdi>{found.name}</bdi>
            <By name={found.startedBy} />, <Time at={found.createdAt.toISOString()} />
          </>
        }
      >
        {isActive ? <Progress running={found} /> : <Outcome ended={found} />}
      </Section>
      {found.report !== null && (
        <Report report={found.report as ImportReport} isCheck={phase === 'checked'} />
      )}
    </>,
    { tab: 'Settings', title, isRunning: isActive },
  )
}

function Progress({ running: { id, phase, done, total } }: { running: Import }) {
  return (
    <>
      <div data-renew="import" data-every="1000">
        <p>
          {total === null
            ? done === 0
              ? 'Reading the file.'
              : `${formatQuantity(done, 'article')} so far.`
            : `${done.toLocaleString('en')} of ${formatQuantity(total, 'article')}.`}{' '}
          You can leave this page.
        </p>
        <progress
          max={total ?? undefined}
          value={total === null ? undefined : done}
          aria-label={TITLES[phase]}
        />
      </div>
      <PostButton needs="editor" action={`${importPath(id)}/stop`}>
        Stop
      </PostButton>
    </>
  )
}

function Outcome({ ended }: { ended: Import }) {
  const { id, phase } = ended
  const report = ended.report as ImportReport | null
  const isCheck = phase === 'checked'
  const { tone, result, next, isEmpty } = outcomeOf({ ...ended, isCheck, report })
  const needs = roleFor(ended)
  const canImport = useAllowed(needs)
  return (
    <>
      <Notice tone={tone}>
        <p>
          <strong>{result}</strong> {next}
        </p>
      </Notice>
      {isCheck && !isEmpty && !canImport && <RoleReason needs={needs} />}
      <div class="actions">
        {isCheck && !isEmpty && (
          <PostButton
            needs={needs}
            action={`${importPath(id)}/start`}
            class="button primary"
            data-busy="Starting…"
          >
            Import
          </PostButton>
        )}
        {isCheck ? (
          <PostButton needs="editor" action={`${importPath(id)}/stop`}>
            Discard
          </PostButton>
        ) : (
          <>
            <ButtonLink to="/content" text="Content" look="primary" />
            <ButtonLink to={LIST} text="Import another file" />
          </>
        )}
      </div>
    </>
  )
}

function Report({ report, isCheck }: { report: ImportReport; isCheck: boolean }) {
  const { skipped, dropped, changed, minor, images, articles } = report
  const refused = skipped.filter(({ isNoArticle }) => !isNoArticle)
  const others = skipped.filter(({ isNoArticle }) => isNoArticle)
  const created = articles.filter(({ outcome }) => outcome === 'created')
  const known = articles.filter(({ outcome }) => outcome !== 'created')
  return (
    <>
      <Rows id="refused" title="Refused" columns={['Place', 'Reason']} rows={refused.map(placeOf)} />
      <Rows id="lost" title="Not imported" columns={LOSS} rows={dropped.map(lossOf)} />
      <Rows id="changed" title="Changed" columns={LOSS} rows={changed.map(lossOf)} />
      <Rows id="others" title="Not articles" columns={['Place', 'Reason']} rows={others.map(placeOf)} />
      {minor > 0 && <p class="muted">{formatQuantity(minor, 'minor change')} not listed.</p>}
      {images.all > 0 && (
        <p class="muted">
          Images and other files, with unchanged addresses: {images.all.toLocaleString('en')}.
        </p>
      )}
      {isCheck && <Articles title="Would be created" articles={created} />}
      {isCheck && <Articles title="Would be updated" articles={known} />}
    </>
  )
}

const LOSS = ['Field', 'Place', 'Reason']
const placeOf = ({ file, reason }: ImportReport['skipped'][number]) => [file, reason]
const lossOf = ({ field, where, reason }: ImportReport['dropped'][number]) => [
  field,
  where,
  reason.replace('--pages guides imports it', 'the option for pages imports it'),
]

type RowsProps = { id: string; title: string; columns: string[]; rows: string[][] }

function Rows({ id, title, columns, rows }: RowsProps) {
  if (rows.length === 0) return null
  return (
    <Section id={id} title={title} lead={firstOf(rows.length)}>
      <Table label={title} columns={columns} rows={rows.slice(0, MAX_SHOWN)} />
    </Section>
  )
}

function Articles({ title, articles }: { title: string; articles: ImportReport['articles'] }) {
  if (articles.length === 0) return null
  return (
    <details>
      <summary>{title}</summary>
      <Table
        label={title}
        columns={['Place', 'Kind', 'Slug']}
        rows={articles.map(({ file, kind, slug }) => [
          file,
          kind === 'posts' ? 'Post' : 'Guide',
          <code dir="auto">{slug}</code>,
        ])}
      />
    </details>
  )
}

const firstOf = (all: number) =>
  all > MAX_SHOWN ? `The first ${MAX_SHOWN} of ${all.toLocaleString('en')}.` : undefined
