/** Sending again all that failed since a time: first how many, then a part of them with each request. */
import * as z from 'zod/mini'
import { Instant } from '../../../src/foundation/time.ts'
import { countFailed, resendFailed } from '../../../src/webhooks/resend-failed.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { CommandSnippet } from '../command-snippet.tsx'
import { type Errors, readForm, submit, type Values } from '../form.ts'
import { CheckField } from '../parts/field.tsx'
import { PageHeading } from '../parts/heading.tsx'
import { InstantField, toInstantText } from '../parts/instant-field.tsx'
import { RoleReason, useAllowed } from '../parts/needs.tsx'
import { ErrorSummary, Notice } from '../parts/notice.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { useRequestContext } from '../request-context.ts'
import { redirectInSite, useSitePath } from '../site.ts'
import { DELIVERIES } from './deliveries.tsx'
import { refusalOf, refusalText } from './refusals.ts'

const PATH = '/integrations/resends'
const TITLE = 'Send failed events again'
const DAY_MS = 86_400_000

/** Sent in two rounds of POSTs, which take 17 s if nobody answers. */
const PART = 8
/** Of a request, which may make 50 calls in all, on the smallest plan of Workers. */
const MAX_PARTS = 2
/** Another part is sent only while all arrives and this soon, so that no page is waited for longer than 20 s. */
const QUICK_MS = 2_000
const LONGEST_WAIT_MS = 20_000

export const resends = createApp()

/** Fields of the URL and of the form. The counts are of the parts so far. */
const Progress = z.object({
  since: Instant,
  until: z.optional(Instant),
  interrupted: z.optional(z.literal('on')),
  arrived: z.optional(z.string().check(z.regex(/^\d{1,6}$/))),
  failed: z.optional(z.string().check(z.regex(/^\d{1,6}$/))),
})

type Progress = z.output<typeof Progress>

const read = (values: Values) => ({
  since: toInstantText(values.since ?? ''),
  ...(values.until && { until: values.until }),
  ...(values.interrupted && { interrupted: values.interrupted }),
  ...(values.arrived && { arrived: values.arrived }),
  ...(values.failed && { failed: values.failed }),
})

resends.get('/resends', async (c) => {
  const values = c.req.query()
  if (!values.since) return page(c, { since: new Date(Date.now() - DAY_MS).toISOString() }, {}, null)
  const { result, errors } = await submit(Progress, read(values), async (progress) => {
    const failed = { ...progress, includeInterrupted: progress.interrupted === 'on' }
    const { remaining, interrupted, until } = await countFailed(c.get('ctx'), c.get('site'), failed)
    return { progress, until, count: remaining, interrupted }
  })
  if (errors) c.status(400)
  return page(c, values, errors ?? {}, result ?? null)
})

resends.post('/resends', async (c) => {
  const values = await readForm(c)
  const { result, errors } = await submit(Progress, read(values), (progress) => resendParts(c, progress))
  if (result) return redirectInSite(c, `${PATH}?${new URLSearchParams(result)}`)
  c.status(400)
  return page(c, values, errors, null)
})

/** @returns the query of the page that says how far it is */
async function resendParts(c: Http, { since, until, interrupted, arrived = '0', failed = '0' }: Progress) {
  const query = {
    since: since.toISOString(),
    ...(until && { until: until.toISOString() }),
    ...(interrupted && { interrupted }),
    arrived,
    failed,
  }
  const includeInterrupted = interrupted === 'on'
  const quickUntil = Date.now() + QUICK_MS
  try {
    for (let parts = 1; ; parts++) {
      const end = query.until ? new Date(query.until) : undefined
      const range = { since, until: end, includeInterrupted }
      const part = await resendFailed(c.get('ctx'), c.get('site'), range, PART)
      const failures = part.resent.filter(({ error }) => error !== null).length
      query.until = part.failedUntil
      query.arrived = String(Number(query.arrived) + part.resent.length - failures)
      query.failed = String(Number(query.failed) + failures)
      const goesWell = failures === 0 && Date.now() < quickUntil
      if (part.remaining === 0 || parts === MAX_PARTS || !goesWell) return query
    }
  } catch (error) {
    const refused = refusalOf(error)
    if (!refused) throw error
    return { ...query, refused }
  }
}

type Found = { progress: Progress; until: Date; count: number; interrupted: number }

function page(c: Http, values: Values, errors: Errors, found: Found | null) {
  const refusal = refusalText(c)
  return c.render(
    <>
      <p class="back">
        <SiteLink to={DELIVERIES}>All deliveries</SiteLink>
      </p>
      <PageHeading
        title={TITLE}
        lead="Events whose last attempt failed since a given time and that have not arrived. They go to the webhook URL that is set now."
      />
      <ErrorSummary errors={errors} done="sent" />
      {refusal && <Notice tone="warning">{refusal}</Notice>}
      {found && <Report found={found} />}
      <SinceForm values={values} errors={errors} isFirst={found === null} />
    </>,
    { tab: 'Integrations', title: TITLE },
  )
}

function Report({ found }: { found: Found }) {
  const { count, interrupted, progress } = found
  const { since, arrived = '0', failed = '0' } = progress
  const hasBegun = Number(arrived) + Number(failed) > 0
  return (
    <>
      {hasBegun && (
        <Notice tone={failed === '0' ? 'success' : 'warning'}>
          Sent again: {arrived} arrived, {failed} failed again.{' '}
          {count > 0 ? `${formatQuantity(count, 'event')} left to try.` : 'None is left to try.'}
        </Notice>
      )}
      {count === 0 && !hasBegun && (
        <p>
          Nothing that failed since <Time at={since} /> is left to send.
        </p>
      )}
      {count > 0 && <Waiting found={found} hasBegun={hasBegun} />}
      {interrupted > 0 && (
        <p>
          {formatQuantity(interrupted, 'other event')} may have arrived: the service died while it sent{' '}
          {interrupted === 1 ? 'it' : 'them'}. {interrupted === 1 ? 'It is' : 'They are'} left out, unless you
          include interrupted events below.
        </p>
      )}
    </>
  )
}

/** What is left to send, and the button that sends the next part of it. */
function Waiting({ found: { progress, until, count }, hasBegun }: { found: Found; hasBegun: boolean }) {
  const path = useSitePath()
  const siteId = useRequestContext().get('site').id
  const { arrived = '0', failed = '0' } = progress
  const since = progress.since.toISOString()
  const list = `/integrations?${new URLSearchParams({ outcome: 'not_arrived', since })}#deliveries`
  return (
    <>
      {hasBegun ? (
        <p>
          <SiteLink to={list}>See all that has not arrived</SiteLink>, with what failed again.
        </p>
      ) : (
        <p>
          {formatQuantity(count, 'event')} failed since <Time at={since} /> and {count === 1 ? 'has' : 'have'}{' '}
          not arrived. <SiteLink to={list}>See them</SiteLink>
        </p>
      )}
      {useAllowed('editor') ? (
        <form method="post" action={path(PATH)} class="fields" data-wait={LONGEST_WAIT_MS}>
          <input type="hidden" name="since" value={since} />
          <input type="hidden" name="until" value={until.toISOString()} />
          {progress.interrupted && <input type="hidden" name="interrupted" value="on" />}
          <input type="hidden" name="arrived" value={arrived} />
          <input type="hidden" name="failed" value={failed} />
          <div class="actions">
            <button type="submit" class="button primary" data-busy="Sending…">
              {sentNext(count, hasBegun)}
            </button>
          </div>
          {count > PART && !hasBegun && (
            <CommandSnippet
              title="All in one command"
              command={`event resend ${siteId} --failed-since ${since}${progress.interrupted ? ' --include-interrupted' : ''}`}
            />
          )}
        </form>
      ) : (
        <RoleReason needs="editor" />
      )}
    </>
  )
}

function sentNext(count: number, hasBegun: boolean): string {
  if (hasBegun) return 'Continue'
  if (count > PART) return 'Start sending again'
  return count === 1 ? 'Send it again' : `Send all ${count} again`
}

type SinceFormProps = { values: Values; errors: Errors; isFirst: boolean }

function SinceForm({ values, errors, isFirst }: SinceFormProps) {
  const path = useSitePath()
  return (
    <form method="get" action={path(PATH)} class="filters">
      <InstantField label="Failed since" name="since" value={values.since} error={errors.since} required />
      <CheckField
        label="Include interrupted events"
        name="interrupted"
        hint="They may have arrived."
        checked={values.interrupted === 'on'}
      />
      <div class="actions">
        <button type="submit" class={isFirst ? 'button primary' : 'button'}>
          Count them
        </button>
        <ButtonLink to={DELIVERIES} text="Cancel" look="quiet" />
      </div>
    </form>
  )
}
