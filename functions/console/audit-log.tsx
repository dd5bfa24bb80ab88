import * as z from 'zod/mini'
import { readRevision } from '../../src/content/articles/revisions.ts'
import { GUIDE } from '../../src/content/guides/guide.ts'
import type { ArticleKind } from '../../src/content/model/article-filters.ts'
import { POST } from '../../src/content/posts/post.ts'
import { orNull } from '../../src/core/errors.ts'
import { type ListedEntry, listAuditEntries, openAuditPosition } from '../../src/people/audit-log.ts'
import { createApp, type Http } from '../http/env.ts'
import { auditActionParam, idParam, timeParam, wordsParam } from '../http/query.ts'
import { Changeset, Entries, isOfFold } from './audit-log/entries.tsx'
import { Filters as FilterForm } from './audit-log/filters.tsx'
import { FieldDifferences } from './content/revision.tsx'
import { submit, toFormIssue } from './forms/form.ts'
import { addQuery } from './parent-list.ts'
import { ListEnd, NoMatch } from './parts/list.tsx'
import { Notice, PageHeading } from './parts/page.tsx'
import { readCursor, readFilters } from './query.ts'
import { sitePath } from './site.ts'

const ROWS_A_PAGE = 50
const PATH = '/audit-log'

export const workspaceAuditLog = createApp()
export const siteAuditLog = createApp()

workspaceAuditLog.get('/', (c) => auditPage(c, null))
siteAuditLog.get(PATH, (c) => auditPage(c, c.get('site').id))

const Filters = z.object({
  subject: wordsParam('An id, or words of a slug, title or name'),
  actor: wordsParam('Part of a name'),
  action: auditActionParam('An action or a noun'),
  actorId: idParam('An operator'),
  changesetId: idParam('What was done at once'),
  since: timeParam('From then on'),
  until: timeParam('Before then'),
})

async function auditPage(c: Http, siteId: string | null) {
  const cursor = await readCursor(c, (text) => openAuditPosition(c.get('ctx'), text))
  const { values, input } = readFilters(c.req.queries(), Object.keys(Filters.shape))
  const paging = { limit: ROWS_A_PAGE, cursor, rows: values.changesetId ? 'entry' : 'changeset' } as const
  const { result, errors } = await submit(
    Filters,
    input,
    (filter) => listAuditEntries(c.get('ctx'), { siteId, ...filter, ...paging }),
    { placeOf: (issue) => (/Id$/.test(issue.path) ? toFormIssue(issue) : issue) },
  )
  if (errors) c.status(400)
  const path = siteId ? sitePath(c, PATH) : `/console${PATH}`
  const page = siteId ? ({ tab: 'Audit log' } as const) : ({ workspace: 'Audit log' } as const)
  const listEnd = (
    <ListEnd
      what="the audit log"
      list={addQuery(path, values)}
      isFirst={cursor === null}
      next={result?.next}
    />
  )
  if (values.changesetId && result && result.items.length > 0) {
    const change = await readOnlyEdit(c, result.items)
    return c.render(
      <>
        <Changeset
          entries={result.items}
          withSite={siteId === null}
          hasDifferences={change !== null}
          hrefOf={(filters) => addQuery(path, filters)}
        />
        {change && <FieldDifferences {...change} />}
        {listEnd}
      </>,
      { ...page, title: 'Change' },
    )
  }
  return c.render(
    <>
      <PageHeading title="Audit log" />
      {errors?.[''] && <Notice tone="danger">{errors['']}.</Notice>}
      <FilterForm
        path={path}
        values={values}
        errors={errors ?? {}}
        isOfSite={siteId !== null}
        actor={result ? (result.items[0]?.actor ?? 'one person') : null}
      />
      {result?.items.length === 0 && <NoMatch what="entries" list={path} />}
      {result?.isCut && (
        <Notice tone="info">There are more matches than we can show. Add a word, or search by ID.</Notice>
      )}
      {result && result.items.length > 0 && (
        <Entries
          entries={result.items}
          withSite={siteId === null}
          rows={values.subject ? 'subject' : isOfFold(values) ? 'changeset' : 'fold'}
          hrefOf={(filters) => addQuery(path, filters)}
        />
      )}
      {listEnd}
      <p class="muted">
        Entries cannot be changed, and are kept for {c.get('ctx').config.RETENTION_AUDIT_DAYS} days.
      </p>
    </>,
    page,
  )
}

/** The edit of a changeset that edits one article. */
async function readOnlyEdit(c: Http, entries: ListedEntry[]) {
  const [edit, ...others] = entries.filter(({ after }) => after?.fields !== undefined)
  if (!edit?.hasRevision || others.length > 0) return null
  const { siteId, siteName, names, at } = edit
  if (siteId === null || siteName === null || names.target === null) return null
  const kind: ArticleKind = names.noun === 'guide' ? 'guides' : 'posts'
  const article = kind === 'guides' ? GUIDE : POST
  const reading = readRevision(c.get('ctx'), { id: siteId }, article, names.target, new Date(at))
  const revision = await orNull(reading, article.missing)
  return revision && { kind, revision }
}
