/** What came of a delivery: the outcome, what to try, how long it took, and the beginning of the answer. */
import type { z } from 'zod'
import type { DeliveryInFull } from '../../../src/webhooks/log.ts'
import type { Http } from '../../http/env.ts'
import { Snippet } from '../parts/copy.tsx'
import { Fact } from '../parts/fact.tsx'
import { Notice } from '../parts/notice.tsx'
import { Time } from '../parts/time.tsx'
import { pathIn } from '../site.ts'
import { describeOutcome, type SiteDelivery } from './outcome.ts'

type Delivered = z.infer<typeof DeliveryInFull>

/** The outcome of a test, with the way to what was sent. */
export function Result({ c, delivery }: { c: Http; delivery: Delivered }) {
  return (
    <>
      <Outcome delivery={delivery} />
      <dl class="copyables">
        <Fact label="Status">{delivery.status ?? 'None'}</Fact>
        <Fact label="Duration">{duration(delivery)}</Fact>
        <Fact label="Sent">
          <Time at={delivery.attemptedAt} />
        </Fact>
      </dl>
      <Answer delivery={delivery} />
      <p>
        <a href={pathIn(c, `/integrations/deliveries/${delivery.id}`)}>What was sent, to the byte</a>
      </p>
    </>
  )
}

export function Outcome({ delivery }: { delivery: SiteDelivery }) {
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

export function Answer({ delivery: { answerExcerpt, status } }: { delivery: Delivered }) {
  if (status === null) return null
  if (answerExcerpt === null) return <p class="muted">The answer had no body.</p>
  return (
    <Snippet
      title={answerExcerpt.length >= 1_000 ? 'Answer, its first 1,024 bytes' : 'Answer'}
      text={answerExcerpt}
    />
  )
}

/** `340 ms`, or `2.4 s` above a second. */
export function duration({ durationMs }: { durationMs: number | null }): string {
  if (durationMs === null) return 'Not known'
  return durationMs < 1_000 ? `${durationMs} ms` : `${(durationMs / 1_000).toFixed(1)} s`
}
