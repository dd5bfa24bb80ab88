import type { Child } from 'hono/jsx'
import * as z from 'zod/mini'
import {
  browseTrainingRows,
  getTrainingRow,
  MAX_COUNTED_ROWS,
} from '../../../src/content/training-rows/browse.ts'
import { openPosition, removeTrainingRow, setTrainingOptIn } from '../../../src/content/training-rows.ts'
import { AppError } from '../../../src/core/errors.ts'
import { qualityBands } from '../../../src/db/schema.ts'
import { createApp, type Http } from '../../http/env.ts'
import { oneOfParam, textParam, wordsParam } from '../../http/query.ts'
import { idOf } from '../../http/request.ts'
import { Confirm } from '../actions/confirm.tsx'
import { Done, redirectDone } from '../actions/done.tsx'
import { SelectBox } from '../actions/selectable.tsx'
import { assetUrls } from '../assets.ts'
import { type Errors, fieldsOf, readForm, submit, type Values } from '../forms/form.ts'
import { addQuery, itemPath, PARENT_LISTS, parentList } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { SelectField, TextField } from '../parts/fields/field.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { FilterForm, ListEnd, NoMatch } from '../parts/list.tsx'
import { EmptyState, ItemHeading, MoreMenu, Section, TabbedHeading } from '../parts/page.tsx'
import { formatCounted } from '../parts/quantity.ts'
import { DocsLink, SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { readCursor, readFilters } from '../query.ts'
import { CommandSnippet } from '../request-snippet.tsx'
import { useRequestContext } from '../site.ts'
import { QUALITY_BANDS } from './edit/controls.ts'
import { TrainingSelectionForm, TrainingSelectionNotice } from './selection/training-selection.tsx'
import { QualityBadge } from './state-badges.tsx'

const ROWS_A_PAGE = 50
const { list: LIST, items: ITEMS } = PARENT_LISTS.training
const PATH = `${ITEMS}/:rowId` as const

export const training = createApp()

const Filters = z.object({
  search: wordsParam('Words of the prompt'),
  optIn: oneOfParam(['in', 'out'], { description: 'Opt-in' }),
  language: textParam('A language code, or none'),
  band: oneOfParam(qualityBands, { description: 'Quality band' }),
})

training.get(LIST, async (c) => {
  const cursor = await readCursor(c, (text) => openPosition(c.get('ctx'), text))
  const page = { limit: ROWS_A_PAGE, cursor }
  const { values, input } = readFilters(c.req.queries(), Object.keys(Filters.shape))
  const { result, errors } = await submit(Filters, input, (filter) =>
    browseTrainingRows(c.get('ctx'), c.get('site'), page, filter),
  )
  if (errors) c.status(400)
  const { items, next, count } = result ?? { items: [], next: null, count: 0 }
  const isFiltered = Object.keys(values).length > 0
  const hasList = items.length > 0 || isFiltered || cursor !== null
  const { list: script } = await assetUrls(c)
  return c.render(
    <>
      <TabbedHeading title="Content" current="Training rows" action={<p>{hasList && <ExportState />}</p>} />
      <script src={script} defer />
      <Done of="trainingRows" />
      <TrainingSelectionNotice />
      {hasList && <RowFilters values={values} errors={errors ?? {}} />}
      {items.length > 0 ? (
        <TrainingSelectionForm
          filters={addQuery('', values)}
          query={addQuery('', { ...values, cursor: c.req.query('cursor') || null })}
        >
          <Table
            isDense
            label="Training rows"
            columns={Object.keys(COLUMNS)}
            rows={items.map((row) => Object.values(COLUMNS).map((cellOf) => cellOf(row)))}
          />
        </TrainingSelectionForm>
      ) : isFiltered ? (
        <NoMatch what="rows" search={values.search} list={LIST} />
      ) : (
        <>
          <EmptyState title={cursor !== null ? 'No more training rows' : 'No training rows yet'}>
            <p>
              Add prompts and completions from a file.{' '}
              <DocsLink to="training">How training rows work</DocsLink>
            </p>
          </EmptyState>
          <CommandSnippet title="Add rows" command={`training add ${c.get('site').id} rows.ndjson`} />
        </>
      )}
      <ListEnd
        what="training rows"
        count={items.length > 0 && formatCounted(count, MAX_COUNTED_ROWS, 'row')}
        list={addQuery(LIST, values)}
        isFirst={cursor === null}
        next={next}
      />
    </>,
    { tab: 'Content', title: 'Training rows' },
  )
})

type TrainingRow = Awaited<ReturnType<typeof browseTrainingRows>>['items'][number]

const COLUMNS: Record<string, (row: TrainingRow) => Child> = {
  Prompt: (row) => (
    <>
      <SelectBox
        name="row"
        value={row.id}
        title={promptOf(row)}
        unchanged={row.optIn ? { in: 'already opted in' } : { out: 'already opted out' }}
      />
      <SiteLink to={rowPath(row)} title={promptOf(row)}>
        {promptOf(row)}
      </SiteLink>
    </>
  ),
  Export: (row) => <OptInBadge row={row} />,
  Language: ({ language }) => language,
  Quality: ({ qualityBand }) => <QualityBadge band={qualityBand} />,
  Post: (row) => <PostLink row={row} />,
  Added: ({ createdAt }) => <Time at={createdAt} isRelative />,
}

const OPT_INS = { '': 'Any', in: 'Opted in', out: 'Opted out' }
const BANDS = { '': 'Any', ...QUALITY_BANDS }

function RowFilters({ values, errors }: { values: Values; errors: Errors }) {
  const field = fieldsOf(values, errors)
  return (
    <FilterForm list={LIST} set={Object.keys(values).length} errors={errors}>
      <TextField label="Search" type="search" placeholder="Search prompts" {...field('search')} />
      <SelectField label="Export" {...field('optIn')} options={Object.entries(OPT_INS)} />
      <TextField label="Language" placeholder="en or none" {...field('language')} />
      <SelectField label="Quality" {...field('band')} options={Object.entries(BANDS)} />
    </FilterForm>
  )
}

const promptOf = ({ prompt }: { prompt: string }) => prompt.trim() || 'Empty prompt'

training.get(PATH, async (c) => {
  const row = await findRow(c)
  return c.render(
    <>
      <ItemHeading
        title="Training row"
        badges={
          <>
            <OptInBadge row={row} /> <QualityBadge band={row.qualityBand} />
            <ExportState />
          </>
        }
        end={
          <MoreMenu needs="editor">
            <button type="button" data-copy={row.id} hidden>
              Copy ID
            </button>
            <SiteLink to={`${rowPath(row)}/deletion`} class="danger">
              Delete…
            </SiteLink>
          </MoreMenu>
        }
      >
        <PostButton
          needs="editor"
          action={`${rowPath(row)}/opt-in`}
          name="optIn"
          value={row.optIn ? 'out' : 'in'}
        >
          {row.optIn ? 'Opt out' : 'Opt in'}
        </PostButton>
      </ItemHeading>
      <Done of="trainingRow" />
      <div class="article-page">
        <div>
          <TextSection id="prompt" title="Prompt" text={row.prompt} />
          <TextSection id="completion" title="Completion" text={row.completion} />
        </div>
        <aside aria-label="About the row">
          <Section id="details" title="Details">
            <Facts>
              <Fact label="Post">{row.postSlug !== null && <PostLink row={row} />}</Fact>
              <Fact label="Language">{row.language}</Fact>
              <Fact label="Added">
                <Time at={row.createdAt} isRelative />
              </Fact>
            </Facts>
          </Section>
        </aside>
      </div>
    </>,
    { tab: 'Content', title: 'Training row' },
  )
})

function TextSection({ text, ...section }: { id: string; title: string; text: string }) {
  return (
    <Section {...section} action={<CopyButton text={text} what={section.title} />}>
      <p class="lines" dir="auto">
        {text}
      </p>
    </Section>
  )
}

training.post(`${PATH}/opt-in`, async (c) => {
  const { optIn } = await readForm(c)
  if (optIn !== 'in' && optIn !== 'out')
    throw new AppError('invalid_body', { path: 'optIn', message: 'must be in or out' })
  const row = await setTrainingOptIn(c.get('ctx'), c.get('site'), rowIdOf(c), optIn === 'in')
  return redirectDone(c, rowPath(row), 'trainingRow', optIn)
})

training.get(`${PATH}/deletion`, async (c) => {
  const row = await findRow(c)
  return c.render(
    <Confirm title="Delete this training row?" needs="editor" submit="Delete row" cancel={rowPath(row)}>
      <p>The next export leaves it out. This cannot be undone.</p>
    </Confirm>,
    { tab: 'Content', title: 'Delete training row', isNarrow: true },
  )
})

training.post(`${PATH}/deletion`, async (c) => {
  await removeTrainingRow(c.get('ctx'), c.get('site'), rowIdOf(c))
  return redirectDone(c, parentList(c, LIST), 'trainingRows', 'deleted')
})

const findRow = (c: Http) => getTrainingRow(c.get('ctx'), c.get('site'), rowIdOf(c))

const rowIdOf = (c: Http) => idOf(c, 'rowId', 'training_row_not_found')

const rowPath = (row: { id: string }) => itemPath('training', row.id)

/** Nothing while it is on. */
function ExportState() {
  if (useRequestContext().get('site').trainingOptIn) return null
  return (
    <span class="muted">
      Export is off · <SiteLink to="/settings/publishing#training">Turn it on</SiteLink>
    </span>
  )
}

function OptInBadge({ row }: { row: { optIn: boolean } }) {
  return row.optIn ? <Badge tone="success" text="Opted in" /> : <Badge text="Opted out" />
}

function PostLink({ row }: { row: { postSlug: string | null } }) {
  if (row.postSlug === null) return null
  return (
    <SiteLink to={itemPath('posts', row.postSlug)} title={row.postSlug}>
      {row.postSlug}
    </SiteLink>
  )
}
