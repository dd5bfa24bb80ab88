/** The API page of a site: base URL, keys and a first request. */
import { countersOfToday } from '../../src/access/counters.ts'
import { listKeys } from '../../src/access/keys.ts'
import { createApp } from '../http/create-app.ts'
import { Success } from './actions/success.tsx'
import { ACCESS_NAMES, KeyState, maskedKey } from './keys.tsx'
import { DocsLink } from './parts/docs-link.tsx'
import { CopyableFact, Fact, Facts } from './parts/facts.tsx'
import { PageHeading, Section } from './parts/heading.tsx'
import { EmptyState } from './parts/notice.tsx'
import { formatQuantity } from './parts/quantity.ts'
import { QuotaBadge, QuotaNotice } from './parts/quota.tsx'
import { RequireRole } from './parts/require-role.tsx'
import { ButtonLink, SiteLink } from './parts/site-link.tsx'
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
  return c.render(
    <>
      <PageHeading
        title="API"
        lead="Read this site's content as JSON. Create a separate key for each program."
      />
      {revoked && <Success>Key “{revoked.name}” revoked. It no longer works.</Success>}
      <Section id="connection" title="Connection">
        {today && (
          <QuotaNotice {...today.full} now={now}>
            <SiteLink to="/settings#plan">Change the quota</SiteLink>
          </QuotaNotice>
        )}
        <Facts boxed>
          <CopyableFact label="Base URL" text={baseUrl(c)} />
          <CopyableFact label="Site ID" text={c.get('site').id} />
          <Fact label="Today">
            {today && (
              <>
                <SiteLink to="/usage">{`${today.full.used.toLocaleString('en')} of ${formatQuantity(today.full.limit, 'request')}`}</SiteLink>{' '}
                <QuotaBadge {...today.full} />
              </>
            )}
          </Fact>
        </Facts>
        <FirstRequest />
        <p class="muted">
          Continue with the <DocsLink to="quick-start">quick start</DocsLink>. All endpoints are in the{' '}
          <DocsLink to="reference">reference</DocsLink>, and in machine-readable form in{' '}
          <a href="/api/v1/openapi.json">openapi.json</a>.
        </p>
      </Section>
      <Section
        id="keys"
        title="Keys"
        lead={
          <>
            Keys are shown once, when you create them. <DocsLink to="keys">Access levels</DocsLink>
          </>
        }
        action={<ButtonLink needs="admin" to="/keys/new" text="New key" look="primary" />}
      >
        {keys.length > 0 ? (
          <Table
            isDense
            label="Keys"
            columns={['Name', 'State', 'Key', 'Access', 'Created', 'Last used', 'Expires', '']}
            rows={keys.map((key) => [
              key.name,
              <KeyState apiKey={key} />,
              <code>{maskedKey(key)}</code>,
              ACCESS_NAMES[key.access],
              <Time at={key.createdAt} isRelative />,
              <Time at={key.lastUsedAt} isRelative />,
              key.expiresAt ? <Day at={key.expiresAt} /> : <span class="muted">Never</span>,
              key.revokedAt === null && (
                <RequireRole needs="admin">
                  <SiteLink class="button small" to={`/keys/${key.id}/revocation`}>
                    Revoke<span class="visually-hidden"> {key.name}</span>
                  </SiteLink>
                </RequireRole>
              ),
            ])}
          />
        ) : (
          <EmptyState title="No keys yet">
            <p>
              Create one for each program that reads this site, such as your CMS, so that you can revoke them
              separately. <DocsLink to="keys">How keys work</DocsLink>
            </p>
          </EmptyState>
        )}
      </Section>
    </>,
    { tab: 'API' },
  )
})
