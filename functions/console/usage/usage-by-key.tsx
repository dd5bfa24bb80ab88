import { utcDay } from '../../../src/core/time.ts'
import { type KeyUsage, listKeyUsage, MONTH } from '../../../src/sites/usage-by-key.ts'
import { createApp, type Http } from '../../http/env.ts'
import { EmptyState, Section } from '../parts/page.tsx'
import { formatShare } from '../parts/quantity.ts'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { utcFormatter } from '../parts/time.tsx'
import { useRequestContext } from '../site.ts'

const MONTHS_SHOWN = 12

const nameOfMonth = utcFormatter({ month: 'long', year: 'numeric' })

export const usageByKey = createApp()

/** All months, or the days of `?month=`. */
usageByKey.get('/usage.csv', async (c) => {
  const site = c.get('site')
  const month = readMonth(c)
  const now = new Date()
  const { items } = await listKeyUsage(c.get('ctx'), site, month, now)
  const lines = [
    [month ? 'day' : 'month', 'key', 'key_id', 'requests'],
    ...items.map(({ period, key, requests }) => [
      period,
      key?.name ?? '',
      key?.id ?? '',
      requests.toString(),
    ]),
  ]
  const name = `usage-${site.domain}-${month ?? utcDay(now)}.csv`
  c.header('Content-Type', 'text/csv; charset=utf-8')
  c.header('Content-Disposition', `attachment; filename="${name}"`)
  return c.body(lines.map((fields) => `${fields.map(toField).join(',')}\r\n`).join(''))
})

/** RFC 4180. Escapes names that a spreadsheet would run as a formula. */
function toField(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

function readMonth(c: Http): string | null {
  return MONTH.exec(c.req.query('month') ?? '')?.[0] ?? null
}

type KeyUsageProps = { usage: KeyUsage[]; now: Date }

/** The month of the query, or the current one. */
const useMonth = (now: Date) => readMonth(useRequestContext()) ?? utcDay(now).slice(0, 7)

export function Months({ usage, now }: KeyUsageProps) {
  const shown = useMonth(now)
  const totals = new Map<string, number>()
  for (const { period, requests } of usage) totals.set(period, (totals.get(period) ?? 0) + requests)
  const months = [...totals].slice(0, MONTHS_SHOWN)
  const most = Math.max(...totals.values())
  if (months.length === 0) return null
  return (
    <Section
      id="months"
      title="Months"
      lead={totals.size > months.length && 'The CSV includes older months.'}
      action={<Download />}
    >
      <Table
        isNumbers
        label="Requests by month"
        columns={['Month', 'Requests', '']}
        rows={months.map(([month, requests]) => [
          month === shown ? (
            <strong aria-current="true">{nameOfMonth(new Date(`${month}-01`))}</strong>
          ) : (
            <SiteLink to={`/usage?month=${month}#keys`}>{nameOfMonth(new Date(`${month}-01`))}</SiteLink>
          ),
          requests.toLocaleString('en'),
          <Bar of={requests} most={most} label={month} />,
        ])}
      />
    </Section>
  )
}

export function Keys({ usage: all, now }: KeyUsageProps) {
  const month = useMonth(now)
  const usage = all.filter(({ period }) => period === month)
  const total = usage.reduce((sum, { requests }) => sum + requests, 0)
  if (all.length === 0) return null
  const title = `Keys in ${nameOfMonth(new Date(`${month}-01`))}`
  if (total === 0) {
    return (
      <Section id="keys" title={title}>
        <EmptyState title="No requests in this month">
          <p>Each key counts from its first request.</p>
        </EmptyState>
      </Section>
    )
  }
  return (
    <Section id="keys" title={title} action={<Download month={month} />}>
      <Table
        isNumbers
        label="Requests by key"
        columns={['Key', 'Requests', 'Share', '']}
        rows={usage.map(({ key, requests }) => [
          <KeyName of={key} />,
          requests.toLocaleString('en'),
          formatShare(requests, total),
          <Bar of={requests} most={total} label={key?.name ?? 'Without a key'} />,
        ])}
      />
    </Section>
  )
}

function KeyName({ of: key }: { of: KeyUsage['key'] }) {
  if (key === null) {
    return (
      <span class="muted" title="Preview links, and requests before keys were counted">
        Other requests
      </span>
    )
  }
  return key.name === null ? <span class="muted">Key no longer exists</span> : <bdi>{key.name}</bdi>
}

function Bar({ of, most, label }: { of: number; most: number; label: string }) {
  return <progress max={most} value={of} aria-label={label} />
}

function Download({ month }: { month?: string }) {
  return <ButtonLink to={month ? `/usage.csv?month=${month}` : '/usage.csv'} text="Download CSV" />
}
