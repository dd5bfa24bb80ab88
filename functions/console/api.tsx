import { countersOfToday } from '../../src/access/counters.ts'
import { listKeys } from '../../src/access/keys.ts'
import { createApp } from '../http/env.ts'
import { Success } from './actions/success.tsx'
import { ACCESS_NAMES, KeyState, maskedKey } from './keys.tsx'
import { isLive } from './parts/badge.tsx'
import { CopyableFact, Facts } from './parts/facts.tsx'
import { EmptyState, PageHeading, Section } from './parts/page.tsx'
import { QuotaNotice } from './parts/quota.tsx'
import { RequireRole } from './parts/require-role.tsx'
import { ButtonLink, DocsLink, SiteLink } from './parts/site-link.tsx'
import { Table } from './parts/table.tsx'
import { Day, Time } from './parts/time.tsx'
import { baseUrl, FirstRequest } from './request-snippet.tsx'

export const api = createApp()

api.get('/api', async (c) => {
  const now = new Date()
  const [keys, today] = await Promise.all([
    listKeys(c.get('ctx'), c.get('site')),
    countersOfToday(c.get('ctx'), c.get('site'), now),
  ])
  const revoked = keys.find(({ id, revokedAt }) => id === c.req.query('revoked') && revokedAt)
  const usable = keys.filter(({ revokedAt }) => !revokedAt)
  const others = keys.filter(({ revokedAt }) => revokedAt)
  return c.render(
    <>
      <PageHeading
        title="API"
        action={<ButtonLink needs="admin" to="/keys/new" text="New key" look="primary" />}
      />
      {revoked && <Success>Key “{revoked.name}” revoked. It no longer works.</Success>}
      {today && (
        <QuotaNotice {...today.full} now={now}>
          <SiteLink to="/usage">View usage</SiteLink>
        </QuotaNotice>
      )}
      <Section id="keys" title="Keys">
        {usable.length > 0 ? (
          <KeyTable label="Keys" keys={usable} />
        ) : (
          <EmptyState title={others.length > 0 ? 'No active keys' : 'No keys yet'}>
            <p>
              Create one for each program that reads this site, so that you can revoke them separately.{' '}
              <DocsLink to="keys">How keys work</DocsLink>
            </p>
          </EmptyState>
        )}
        {others.length > 0 && (
          <details open={revoked !== undefined}>
            <summary>{others.length} revoked</summary>
            <KeyTable label="Revoked keys" keys={others} />
          </details>
        )}
      </Section>
      <Section id="connection" title="Connection">
        <Facts boxed>
          <CopyableFact label="Base URL" text={baseUrl(c)} />
          <CopyableFact label="Site ID" text={c.get('site').id} />
        </Facts>
        {usable.length === 0 && <FirstRequest />}
      </Section>
    </>,
    { tab: 'API' },
  )
})

function KeyTable({ label, keys }: { label: string; keys: Awaited<ReturnType<typeof listKeys>> }) {
  const hasState = !keys.every(isLive)
  return (
    <Table
      isDense
      label={label}
      columns={['Name', 'Key', 'Access', 'Created', 'Last used', 'Expires', hasState && 'State', '']}
      rows={keys.map((key) => [
        key.name,
        <code>{maskedKey(key)}</code>,
        ACCESS_NAMES[key.access],
        <Time at={key.createdAt} isRelative />,
        <Time at={key.lastUsedAt} isRelative />,
        key.expiresAt ? <Day at={key.expiresAt} /> : <span class="muted">Never</span>,
        <KeyState apiKey={key} />,
        key.revokedAt === null && (
          <RequireRole needs="admin">
            <SiteLink class="button small" to={`/keys/${key.id}/revocation`}>
              Revoke…<span class="visually-hidden"> {key.name}</span>
            </SiteLink>
          </RequireRole>
        ),
      ])}
    />
  )
}
