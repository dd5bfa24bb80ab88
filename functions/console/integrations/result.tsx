import type { Child } from 'hono/jsx'
import type * as z from 'zod/mini'
import type { DeliveryInFull } from '../../../src/webhooks/log.ts'
import { Snippet } from '../parts/copy.tsx'
import { Notice } from '../parts/page.tsx'
import { describeOutcome } from './outcome.ts'

type FullDelivery = z.infer<typeof DeliveryInFull>

type OutcomeNoticeProps = { delivery: FullDelivery; before?: string; children?: Child }

export function OutcomeNotice({ delivery, before = '', children }: OutcomeNoticeProps) {
  const { tone, name, happened, advice } = describeOutcome(delivery)
  return (
    <Notice tone={tone === 'neutral' ? 'info' : tone}>
      <strong>
        {before + name}
        {delivery.status !== null && ` in ${formatDuration(delivery)}`}.
      </strong>{' '}
      {happened} {advice} {children}
    </Notice>
  )
}

export function ResponseSnippet({ delivery }: { delivery: FullDelivery }) {
  const { answerExcerpt, answerTruncated, answerHeaders, status } = delivery
  if (status === null) return null
  const headers = Object.entries(answerHeaders ?? {}).map((pair) => pair.join(': '))
  return (
    <section aria-label="Response">
      {answerExcerpt === null ? (
        <p class="muted">
          {answerTruncated ? 'No body arrived within half a second.' : 'The response had no body.'}
        </p>
      ) : (
        <Snippet title={answerTruncated ? 'Response (first 1,024 bytes)' : 'Response'} text={answerExcerpt} />
      )}
      {headers.length > 0 && (
        <div class="folds">
          <details>
            <summary>Response headers</summary>
            <Snippet title="Headers" text={headers.join('\n')} />
          </details>
        </div>
      )}
    </section>
  )
}

/** Such as `340 ms` or `2.4 s`. */
export function formatDuration({ durationMs }: { durationMs: number | null }): string {
  if (durationMs === null) return 'Unknown'
  return durationMs < 1_000 ? `${durationMs} ms` : `${(durationMs / 1_000).toFixed(1)} s`
}
