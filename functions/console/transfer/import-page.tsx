import type { Child } from 'hono/jsx'
import type { LossFacts } from '../../../src/cli/import/report-lines.ts'
import type { ImportReport } from '../../../src/cli/upload/load.ts'
import {
  confirmImport,
  getImport,
  type Import,
  isRunning,
  roleFor,
  stopImport,
} from '../../../src/sites/imports.ts'
import type { Skipped } from '../../../src/transfer/source.ts'
import { createApp, type Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { TABS } from '../menu.ts'
import { Badge } from '../parts/badge.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Notice, Section, TabbedHeading } from '../parts/page.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { RoleReason, useAllowed } from '../parts/require-role.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Tile } from '../parts/tile.tsx'
import { By, Time } from '../parts/time.tsx'
import { redirectInSite } from '../site.ts'
import { outcomeOf } from './outcome.ts'
import { fieldWords, lossWords, placeWords, skipWords, titleIn } from './words.ts'

const LIST = TABS.Settings['Import and export']
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
      <TabbedHeading title="Settings" current="Import and export" />
      {problem && <Notice tone="danger">{problem}</Notice>}
      <Section
        id="import"
        title={title}
        lead={
          <>
            <bdi>{found.name}</bdi>
            <By name={found.startedBy} />, <Time at={found.createdAt.toISOString()} />
            {isActive && '. You can leave this page.'}
          </>
        }
      >
        {isActive ? <Progress running={found} /> : <Outcome ended={found} />}
      </Section>
      {found.report !== null && <Report report={found.report as ImportReport} />}
    </>,
    { tab: 'Settings', title, isRunning: isActive, isNarrow: true },
  )
}

function Progress({ running: { id, phase, done, total } }: { running: Import }) {
  return (
    <>
      <div data-renew="import" data-every="1000">
        <p class="figure">
          {done === 0 && total === null ? (
            'Reading the file'
          ) : (
            <>
              <strong>{done.toLocaleString('en')}</strong>{' '}
              {total === null ? 'articles so far' : `of ${formatQuantity(total, 'article')}`}
            </>
          )}
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
  const { notice, figures, notes, isEmpty } = outcomeOf({ ...ended, isCheck, report })
  const canStart = isCheck && !isEmpty
  const count = (report?.created ?? 0) + (report?.updated ?? 0)
  const remarks = [...notes, ...(canStart ? ['Nothing is saved yet.'] : [])]
  const needs = roleFor(ended)
  const canImport = useAllowed(needs)
  return (
    <>
      {notice && (
        <Notice tone={notice.tone}>
          <strong>{notice.result}</strong> {notice.next}
        </Notice>
      )}
      {figures.length > 0 && (
        <div class="tiles">
          {figures.map(({ title, count, note }) => (
            <Tile title={title} figure={count.toLocaleString('en')}>
              {note}
            </Tile>
          ))}
        </div>
      )}
      {remarks.length > 0 && <p class="muted">{remarks.join(' ')}</p>}
      {canStart && !canImport && <RoleReason needs={needs} />}
      <div class="actions">
        {canStart && (
          <PostButton
            needs={needs}
            action={`${importPath(id)}/start`}
            class="button primary"
            data-busy="Starting…"
          >
            {count > 0 ? `Import ${formatQuantity(count, 'article')}` : 'Import'}
          </PostButton>
        )}
        {canStart && (
          <PostButton needs="editor" action={`${importPath(id)}/stop`}>
            Discard
          </PostButton>
        )}
        {!canStart && !isEmpty && <ButtonLink to="/content" text="Open content" look="primary" />}
        {!canStart && (
          <ButtonLink to={LIST} text="Import another file" look={isEmpty ? 'primary' : undefined} />
        )}
      </div>
    </>
  )
}

function Report({ report }: { report: ImportReport }) {
  const { skipped, dropped, changed, images, articles, created, updated, unchanged } = report
  const [others, refused] = [true, false].map((isNone) =>
    skipped.filter(({ isNoArticle = false }) => isNoArticle === isNone),
  )
  return (
    <section aria-label="Details" class="folds">
      <Fold title="Not imported" columns={['Article', 'Reason']} rows={refused!.map(skipOf)} isOpen />
      <Fold title="Left out" columns={LOSS} rows={dropped.map(lossOf)} count={articlesOf(dropped)} isOpen />
      <Fold title="To check" columns={LOSS} rows={changed.map(lossOf)} count={articlesOf(changed)} isOpen />
      <Fold title="Not articles" columns={['File', 'Reason']} rows={others!.map(skipOf)} />
      <Fold
        title="Articles"
        columns={['Title', 'Slug', 'Status', '', 'From']}
        rows={articles.map(articleOf)}
        count={created + updated + unchanged}
      />
      {images.all > 0 && (
        <p class="muted">{formatQuantity(images.all, 'image')} and other files keep their addresses.</p>
      )}
    </section>
  )
}

const LOSS = ['Change', 'In']
const skipOf = (skipped: Skipped) => [titleIn(skipped.file), skipWords(skipped)]

const articlesOf = (losses: LossFacts[]) => losses.reduce((sum, { files }) => sum + files, 0)

function lossOf(loss: LossFacts) {
  const field = fieldWords(loss.field)
  const part = 'label' in field ? field.label : <code>{field.name}</code>
  return [
    <>
      {part} <span class="below">{lossWords(loss)}</span>
    </>,
    placeWords(loss),
  ]
}

const articleOf = ({ title, slug, status, kind, outcome, file }: ImportReport['articles'][number]) => [
  title,
  <code>{slug}</code>,
  status === 'published' ? <Badge tone="success" text="Published" /> : <Badge text="Draft" />,
  `${outcome === 'created' ? 'New' : 'Existing'} ${kind === 'posts' ? 'post' : 'guide'}`,
  file,
]

type FoldProps = { title: string; columns: string[]; rows: Child[][]; count?: number; isOpen?: boolean }

/** `count` if a row stands for several articles, or not all of them are in the report. */
function Fold({ title, columns, rows, count = rows.length, isOpen = false }: FoldProps) {
  if (rows.length === 0) return null
  const shown = rows.slice(0, MAX_SHOWN)
  return (
    <details open={isOpen}>
      <summary>
        {title} <span class="muted">{count.toLocaleString('en')}</span>
      </summary>
      {shown.length === MAX_SHOWN && shown.length < count && <p class="muted">The first {MAX_SHOWN}.</p>}
      <Table label={title} columns={columns} rows={shown} />
    </details>
  )
}
