/** The training rows of a site, oldest first, and the page of each with its opt-in and its deletion. */

import { browseTrainingRows, getTrainingRow } from '../../../src/content/training-rows/browse.ts'
import { removeTrainingRow, setTrainingOptIn } from '../../../src/content/training-rows.ts'
import { AppError } from '../../../src/foundation/errors.ts'
import { parsePosition } from '../../../src/foundation/paging.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { readCursor } from '../cursor.ts'
import { readForm } from '../form.ts'
import { itemPath, PARENT_LISTS, parentList } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Done, withDone } from '../parts/done.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { SiteButton } from '../parts/form.tsx'
import { ItemHeading, PageHeading, Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { Pager } from '../parts/pager.tsx'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useRequestContext } from '../request-context.ts'
import { redirectInSite, sitePath } from '../site.ts'
import { QualityBadge } from './article.tsx'
import { KindNavigation } from './kinds.tsx'

const ROWS_A_PAGE = 50
const { list: LIST, items: ITEMS } = PARENT_LISTS.training
const PATH = `${ITEMS}/:rowId` as const

export const training = createApp()

training.get(LIST, async (c) => {
  const cursor = readCursor(c, parsePosition)
  const page = { limit: ROWS_A_PAGE, cursor }
  const { items, next } = await browseTrainingRows(c.get('ctx'), c.get('site'), page)
  return c.render(
    <>
      <PageHeading title="Content" />
      <KindNavigation current="training" />
      <Done of="trainingRows" />
      <ExportNotice />
      {items.length > 0 ? (
        <div class="articles">
          <Table
            label="Training rows"
            columns={['Prompt', 'Export', 'Post', 'Added']}
            rows={items.map((row) => [
              <SiteLink to={rowPath(row)}>{row.prompt.trim() || 'Blank prompt'}</SiteLink>,
              <OptInBadge row={row} />,
              <PostLink row={row} />,
              <Time at={row.createdAt} />,
            ])}
          />
        </div>
      ) : (
        <EmptyState title={cursor !== null ? 'No more training rows' : 'No training rows yet'}>
          <p>
            The command <code>training add</code> takes prompts and completions from a file.
          </p>
        </EmptyState>
      )}
      <Pager
        label="Pages of training rows"
        previous={cursor === null ? null : { text: 'Oldest', href: sitePath(c, LIST) }}
        next={next === null ? null : { text: 'Newer', href: `${sitePath(c, LIST)}?cursor=${next}` }}
      />
    </>,
    { tab: 'Content', title: 'Training rows' },
  )
})

training.get(PATH, async (c) => {
  const row = await findRow(c)
  return c.render(
    <>
      <ItemHeading
        name="Training rows"
        list={LIST}
        title="Training row"
        badges={
          <>
            <OptInBadge row={row} /> <QualityBadge band={row.qualityBand} />
          </>
        }
      >
        <SiteButton
          needs="editor"
          action={`${rowPath(row)}/opt-in`}
          name="optIn"
          value={row.optIn ? 'out' : 'in'}
        >
          {row.optIn ? 'Opt out' : 'Opt in'}
        </SiteButton>
        <ButtonLink needs="editor" to={`${rowPath(row)}/deletion`} text="Delete" />
      </ItemHeading>
      <Done of="trainingRow" />
      <ExportNotice />
      <TextSection id="prompt" title="Prompt" text={row.prompt} />
      <TextSection id="completion" title="Completion" text={row.completion} />
      <Section id="fields" title="Fields">
        <Facts>
          <Fact label="Post">
            <PostLink row={row} />
          </Fact>
          <Fact label="Language">{row.language}</Fact>
          <Fact label="Added">
            <Time at={row.createdAt} />
          </Fact>
          <Fact label="ID">
            <code>{row.id}</code>
          </Fact>
        </Facts>
      </Section>
    </>,
    { tab: 'Content', title: 'Training row' },
  )
})

training.post(`${PATH}/opt-in`, async (c) => {
  const { optIn } = await readForm(c)
  if (optIn !== 'in' && optIn !== 'out')
    throw new AppError('invalid_body', { path: 'optIn', message: 'must be in or out' })
  const row = await setTrainingOptIn(c.get('ctx'), c.get('site'), rowIdOf(c), optIn === 'in')
  return redirectInSite(c, withDone(rowPath(row), 'trainingRow', optIn))
})

training.get(`${PATH}/deletion`, async (c) => {
  const row = await findRow(c)
  return c.render(
    <Confirm
      title="Delete the training row?"
      needs="editor"
      action={`${rowPath(row)}/deletion`}
      submit="Delete row"
      cancel={rowPath(row)}
    >
      <p>The next export is without it. This cannot be undone.</p>
    </Confirm>,
    { tab: 'Content', title: 'Delete training row' },
  )
})

training.post(`${PATH}/deletion`, async (c) => {
  await removeTrainingRow(c.get('ctx'), c.get('site'), rowIdOf(c))
  return redirectInSite(c, withDone(parentList(c, LIST), 'trainingRows', 'deleted'))
})

const findRow = (c: Http) => getTrainingRow(c.get('ctx'), c.get('site'), rowIdOf(c))

const rowIdOf = (c: Http) => idOf(c, 'rowId', 'training_row_not_found')

const rowPath = (row: { id: string }) => itemPath('training', row.id)

function ExportNotice() {
  if (useRequestContext().get('site').trainingOptIn) return null
  return (
    <Notice tone="info">
      The site's training export is off, so no rows are exported, opted in or not.{' '}
      <SiteLink to="/settings">Turn it on in the settings</SiteLink>
    </Notice>
  )
}

function OptInBadge({ row }: { row: { optIn: boolean } }) {
  return row.optIn ? <Badge tone="success" text="Opted in" /> : <Badge text="Opted out" />
}

function PostLink({ row }: { row: { postSlug: string | null } }) {
  if (row.postSlug === null) return <span class="muted">None</span>
  return (
    <SiteLink class="wraps" to={itemPath('posts', row.postSlug)}>
      {row.postSlug}
    </SiteLink>
  )
}

function TextSection({ text, ...heading }: { id: string; title: string; text: string }) {
  return (
    <Section {...heading}>
      <p class="lines" dir="auto">
        {text}
      </p>
    </Section>
  )
}
