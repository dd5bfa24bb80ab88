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
import { contentOf, outcomeOf, sumOf, UNITS } from './outcome.ts'
import { fieldWords, lossWords, placeWords, sentence, skipWords, titleIn } from './words.ts'

const LIST = TABS.Settings['Import and export']
const MAX_SHOWN = 100

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
  const report = found.report as ImportReport | null
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
            <By name={found.startedBy} />, <Time at={found.confirmedAt ?? found.createdAt} />
            {isActive && '. You can leave this page.'}
          </>
        }
      >
        {isActive ? <Progress running={found} /> : <Outcome ended={found} />}
      </Section>
      {report && <Report report={report} unit={UNITS[found.source]} />}
    </>,
    { tab: 'Settings', title, isRunning: isActive, isNarrow: !report },
  )
}

function Progress({ running: { id, phase, source, done, total } }: { running: Import }) {
  return (
    <>
      <div data-renew="import" data-every="1000">
        <p class="figure">
          {done === 0 && total === null ? (
            'Reading the file'
          ) : (
            <>
              <strong>{done.toLocaleString('en')}</strong>{' '}
              {total === null ? `${UNITS[source]}s so far` : `of ${formatQuantity(total, UNITS[source])}`}
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
  const { notice, figures, notes, isEmpty } = outcomeOf(ended)
  const canStart = phase === 'checked' && !isEmpty
  const remarks = canStart ? [...notes, 'Nothing is saved yet.'] : notes
  const needs = roleFor(ended)
  const hasOnlyGuides = report !== null && report.guides === sumOf(report)
  return (
    <>
      {notice && <Notice tone={notice.tone}>{notice.text}</Notice>}
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
      {canStart && !useAllowed(needs) && <RoleReason needs={needs} />}
      <div class="actions">
        {canStart ? (
          <>
            <PostButton
              needs={needs}
              action={`${importPath(id)}/start`}
              class="button primary"
              data-busy="Starting…"
            >
              {`Import ${report ? contentOf(report) : ''}`}
            </PostButton>
            <PostButton needs="editor" action={`${importPath(id)}/stop`}>
              Discard
            </PostButton>
          </>
        ) : (
          <>
            {!isEmpty && (
              <ButtonLink
                to={hasOnlyGuides ? TABS.Content.Guides : TABS.Content.Posts}
                text={hasOnlyGuides ? 'View guides' : 'View posts'}
                look="primary"
              />
            )}
            <ButtonLink to={LIST} text="Import another file" look={isEmpty ? 'primary' : undefined} />
          </>
        )}
      </div>
    </>
  )
}

/** `unit` is the part of the file that holds one post or guide. */
function Report({ report, unit }: { report: ImportReport; unit: string }) {
  const { skipped, dropped, changed, images, articles } = report
  if (skipped.length + dropped.length + changed.length + articles.length + images.all === 0) return null
  const inOrder = skipped.toSorted((a, b) => Number(!!a.isNoArticle) - Number(!!b.isNoArticle))
  const place = sentence(unit)
  return (
    <section aria-label="Details" class="folds">
      <Fold
        title="Not imported, and why"
        columns={[place, dropped.length > 0 && 'Part', 'Reason']}
        rows={[...inOrder.map((each) => [titleIn(each.file), '', skipWords(each)]), ...dropped.map(lossOf)]}
        isOpen
      />
      <Fold
        title="Check after the import"
        columns={[place, 'Part', 'Note']}
        rows={changed.map(lossOf)}
        isOpen
      />
      <Fold
        title="Posts and guides in the file"
        columns={['Title', 'Slug', 'Status', '', place]}
        rows={articles.map(articleOf)}
      />
      {images.all > 0 && (
        <p class="muted">{formatQuantity(images.all, 'image')} and other files keep their addresses.</p>
      )}
    </section>
  )
}

function lossOf(loss: LossFacts) {
  const field = fieldWords(loss.field)
  return [placeWords(loss), 'label' in field ? field.label : <code>{field.name}</code>, lossWords(loss)]
}

const articleOf = ({ title, slug, status, kind, outcome, file }: ImportReport['articles'][number]) => [
  title,
  <code>{slug}</code>,
  status === 'published' ? <Badge tone="success" text="Published" /> : <Badge text="Draft" />,
  `${outcome === 'created' ? 'New' : 'Existing'} ${kind === 'posts' ? 'post' : 'guide'}`,
  file,
]

type FoldProps = { title: string; columns: (string | false)[]; rows: Child[][]; isOpen?: boolean }

function Fold({ title, columns, rows, isOpen = false }: FoldProps) {
  if (rows.length === 0) return null
  return (
    <details open={isOpen}>
      <summary>{title}</summary>
      {rows.length > MAX_SHOWN && <p class="muted">The first {MAX_SHOWN}.</p>}
      <Table label={title} columns={columns} rows={rows.slice(0, MAX_SHOWN)} />
    </details>
  )
}
