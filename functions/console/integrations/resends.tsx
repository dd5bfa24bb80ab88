/** Resending all failed events: start, progress, stop and result. */
import * as z from 'zod/mini'
import { requireRole } from '../../../src/core/actor.ts'
import { HOUR_MS, Instant } from '../../../src/core/time.ts'
import { listWebhooks } from '../../../src/webhooks/endpoint.ts'
import { nameWebhooks } from '../../../src/webhooks/names.ts'
import { countFailed, type Resend, startResend, stopResend } from '../../../src/webhooks/resend.ts'
import { createApp, type Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { CONFIRMED, isConfirmed } from '../actions/confirm.tsx'
import { redirectDone } from '../actions/done.tsx'
import { type Errors, type FormEntries, fieldsOf, readForm, submit, type Values } from '../forms/form.ts'
import { SelectField } from '../parts/fields/field.tsx'
import { Form, PostButton } from '../parts/fields/form.tsx'
import { InstantField, toInstantText } from '../parts/fields/instant-field.tsx'
import { Notice, PageHeading } from '../parts/page.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { redirectInSite, sitePath } from '../site.ts'
import { DELIVERIES, deliveriesWith } from './filter.ts'
import { refusalOf } from './refusals.ts'

const PATH = '/integrations/resends'
/** How long the result is shown. The audit log keeps it. */
const SHOWN_FOR_MS = HOUR_MS

export const resends = createApp()

const Input = z.object({
  webhookId: z.optional(z.uuid()),
  failedSince: z.optional(Instant),
  failedUntil: z.optional(Instant),
  includeInterrupted: z.optional(z.literal('on')),
})

resends.post('/resends', async (c) => {
  const form = await readForm(c)
  const names = Object.keys(Input.shape).filter((name) => form[name])
  const given: Values = Object.fromEntries(names.map((name) => [name, toInstantText(form[name]!)]))
  requireRole(c.get('ctx'), 'editor')
  const { result, errors } = await submit(Input, given, async ({ includeInterrupted, ...range }) => {
    const failed = { ...range, includeInterrupted: includeInterrupted === 'on' }
    if (!isConfirmed(form)) {
      const found = await countFailed(c.get('ctx'), c.get('site'), failed)
      const { total, interrupted } = found.count
      if (total > 0 || (names.length > 0 && interrupted === 0)) return questionPage(c, { given, found })
    }
    const { resend, isNew } = await startResend(c.get('ctx'), c.get('site'), failed)
    const list = range.webhookId ? deliveriesWith({ webhook: range.webhookId }) : DELIVERIES
    // The list shows the progress of a new one.
    if (isNew && resend.total > 0) return redirectInSite(c, list)
    return redirectDone(c, list, 'deliveries', isNew ? 'none' : 'joined')
  }).catch((error) => {
    const refused = refusalOf(error)
    if (!refused) throw error
    return { result: redirectInSite(c, deliveriesWith({ refused })), errors: undefined }
  })
  if (errors) c.status(400)
  return errors ? questionPage(c, { given, errors }) : result
})

type Question = { given: Values; errors?: Errors; found?: Awaited<ReturnType<typeof countFailed>> }

/** The choice of events, and their number. A confirmed form carries the time of the count, which leaves out later failures. */
async function questionPage(c: Http, { given, errors = {}, found }: Question) {
  const endpoints = await listWebhooks(c.get('ctx'), c.get('site'))
  const names = nameWebhooks(endpoints)
  const hasEvents = found !== undefined && found.count.total > 0
  const title = 'Resend failed events'
  const field = fieldsOf(given, errors)
  return c.render(
    <>
      <PageHeading
        title={title}
        lead="Each event is sent once, unchanged. Receivers may get an event that they already received."
      />
      <details open={Object.keys(given).length > 0}>
        <summary>{endpoints.length > 1 ? 'Choose a webhook or time' : 'Choose a time'}</summary>
        <form method="post" action={sitePath(c, PATH)} class="fields">
          {endpoints.length > 1 && (
            <SelectField label="Webhook" {...field('webhookId')} options={[['', 'All'], ...names]} />
          )}
          <InstantField label="Failed since" {...field('failedSince')} />
          <InstantField label="Failed until" {...field('failedUntil')} hint="" />
          <div class="actions">
            <button type="submit" class="button">
              Count events
            </button>
          </div>
        </form>
      </details>
      {hasEvents ? (
        <>
          <Table
            isNumbers
            label="Events to resend"
            columns={['Webhook', 'Events', 'Last failed']}
            rows={found.webhooks.map(({ id, count, until }) => [
              <bdi>{names.get(id)}</bdi>,
              count.toLocaleString('en'),
              <Time at={until} isRelative />,
            ])}
          />
          <Form
            needs="editor"
            action={PATH}
            submit={`Resend ${formatQuantity(found.count.total, 'event')}`}
            cancel={DELIVERIES}
            hidden={[...Object.entries({ ...given, failedUntil: found.count.failedUntil }), CONFIRMED]}
          />
        </>
      ) : (
        found && <p>No failed events match.</p>
      )}
    </>,
    { tab: 'Integrations', title, isNarrow: true },
  )
}

resends.post('/resends/:resendId/stop', async (c) => {
  await stopResend(c.get('ctx'), c.get('site'), idOf(c, 'resendId', 'resend_not_found'))
  return redirectInSite(c, DELIVERIES)
})

/** The filter of the list limits the resend to a webhook and a time. */
export function ResendAll({ filter: { webhook, since, until } }: { filter: Values }) {
  const range = Object.entries({ webhookId: webhook, failedSince: since, failedUntil: until })
  const given = range.filter((entry): entry is [string, string] => Boolean(entry[1]))
  return <ResendForm fields={given}>Resend failed</ResendForm>
}

type ResendFormProps = { fields: FormEntries; children: string }

export function ResendForm({ fields, children }: ResendFormProps) {
  return (
    <PostButton needs="editor" action={PATH} hidden={fields} data-busy="Counting…">
      {children}
    </PostButton>
  )
}

/** The running resend, or the result of the latest one. It is a warning if it left failures. */
export function ResendProgress({ resend }: { resend: Resend | null }) {
  if (!resend || resend.total + resend.interrupted === 0) return null
  if (resend.endedAt === null) return <ResendRunning resend={resend} />
  if (Date.parse(resend.endedAt) < Date.now() - SHOWN_FOR_MS) return null
  const isComplete = resend.ending === 'done' && resend.failed + resend.interrupted === 0
  if (isComplete)
    return (
      <p class="muted" role="status">
        <ResendResult resend={resend} />
      </p>
    )
  return <ResendIncomplete resend={resend} />
}

function ResendRunning({ resend }: { resend: Resend }) {
  const { id, total, arrived, failed } = resend
  return (
    <Notice
      tone="info"
      action={
        <PostButton needs="editor" action={`${PATH}/${id}/stop`}>
          Stop
        </PostButton>
      }
    >
      <p>
        <strong>
          Resending: {(arrived + failed).toLocaleString('en')} of {total.toLocaleString('en')} sent.
        </strong>{' '}
        {counts(resend)} You can leave this page.
      </p>
      <progress max={total} value={Math.min(total, arrived + failed)} aria-label="Resent events" />
    </Notice>
  )
}

const ENDINGS = {
  done: 'Resend finished',
  stopped: 'Resend stopped',
  webhook_removed: 'Resend stopped because the webhook was removed',
}

function ResendResult({ resend }: { resend: Resend }) {
  const { ending, endedAt, total, notSent } = resend
  return (
    <>
      {total > 0 ? ENDINGS[ending!] : 'No events were resent'} <Time at={endedAt!} isRelative />
      {total > 0 && `: ${counts(resend)}`}
      {notSent > 0 && ` ${formatQuantity(notSent, 'event')} ${ending === 'done' ? SKIPPED : 'not sent.'}`}
    </>
  )
}

function ResendIncomplete({ resend }: { resend: Resend }) {
  const { ending, webhookId, failedSince, failedUntil, includeInterrupted } = resend
  const { failed, notSent, interrupted } = resend
  const same = Object.entries({ failedUntil, webhookId, failedSince }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  )
  const isStopped = ending === 'stopped' && notSent > 0
  const action = (isStopped || interrupted > 0) && (
    <>
      {isStopped && (
        <ResendForm fields={[...same, ...(includeInterrupted ? [INTERRUPTED] : []), CONFIRMED]}>
          {`Resend the remaining ${notSent.toLocaleString('en')}`}
        </ResendForm>
      )}
      {interrupted > 0 && (
        <ResendForm fields={[...same, INTERRUPTED, CONFIRMED]}>Resend interrupted events</ResendForm>
      )}
    </>
  )
  return (
    <Notice tone="warning" action={action}>
      <p>
        <ResendResult resend={resend} />{' '}
        {failed > 0 && <SiteLink to={deliveriesWith({ outcome: 'not_arrived' })}>View failed</SiteLink>}
      </p>
      {interrupted > 0 && (
        <p>
          Left out: {formatQuantity(interrupted, 'event')} that may have been delivered, because the service
          stopped while sending.
        </p>
      )}
    </Notice>
  )
}

const INTERRUPTED: FormEntries[number] = ['includeInterrupted', 'on']

const counts = ({ arrived, failed }: Resend) =>
  `${arrived.toLocaleString('en')} delivered, ${failed.toLocaleString('en')} failed again.`

const SKIPPED = 'skipped: already delivered, or the webhook was removed.'
