/** The result of a delivery: outcome, advice, duration and response. */
import type * as z from 'zod/mini'
import type { DeliveryInFull } from '../../../src/webhooks/log.ts'
import { itemPath } from '../parent-list.ts'
import { Snippet } from '../parts/copy.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Notice } from '../parts/notice.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { describeOutcome } from './outcome.ts'

type FullDelivery = z.infer<typeof DeliveryInFull>

export function TestResult({ delivery }: { delivery: FullDelivery }) {
  return (
    <>
      <OutcomeNotice delivery={delivery} />
      <Facts boxed>
        <Fact label="Status">{delivery.status}</Fact>
        <Fact label="Duration">{formatDuration(delivery)}</Fact>
        <Fact label="Sent">
          <Time at={delivery.attemptedAt} />
        </Fact>
      </Facts>
      <ResponseSnippet delivery={delivery} />
      {delivery.request && (
        <p>
          <SiteLink to={itemPath('deliveries', delivery.id)}>View the exact request</SiteLink>
        </p>
      )}
    </>
  )
}

export function OutcomeNotice({ delivery }: { delivery: FullDelivery }) {
  const { tone, name, happened, advice } = describeOutcome(delivery)
  return (
    <Notice tone={tone === 'neutral' ? 'info' : tone}>
      <p>
        <strong>{name}.</strong> {happened}
      </p>
      {advice && <p>{advice}</p>}
    </Notice>
  )
}

export function ResponseSnippet({ delivery }: { delivery: FullDelivery }) {
  const { answerExcerpt, answerTruncated, answerHeaders, status } = delivery
  if (status === null) return null
  const headers = Object.entries(answerHeaders ?? {}).map((pair) => pair.join(': '))
  return (
    <>
      {answerExcerpt === null ? (
        <p class="muted">
          {answerTruncated ? 'No body arrived within half a second.' : 'The response had no body.'}
        </p>
      ) : (
        <Snippet title={answerTruncated ? 'Response (first 1,024 bytes)' : 'Response'} text={answerExcerpt} />
      )}
      {headers.length > 0 && <Snippet title="Response headers" text={headers.join('\n')} />}
    </>
  )
}

/** Such as `340 ms` or `2.4 s`. */
export function formatDuration({ durationMs }: { durationMs: number | null }): string {
  if (durationMs === null) return 'Unknown'
  return durationMs < 1_000 ? `${durationMs} ms` : `${(durationMs / 1_000).toFixed(1)} s`
}
