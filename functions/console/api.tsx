/** How a program reads the site: where, with which key, and the first request. */
import { Hono } from 'hono'
import { listKeys } from '../../src/keys.ts'
import type { Env } from '../http/env.ts'
import { baseUrl, FirstRequest } from './first-request.tsx'
import { KeyState, shownKey } from './keys.tsx'
import { sitePage } from './layout.tsx'
import { Copyable } from './parts/copy.tsx'
import { Done } from './parts/done.tsx'
import { EmptyState } from './parts/empty-state.tsx'
import { PageHeading, Section } from './parts/heading.tsx'
import { Table } from './parts/table.tsx'
import { Time } from './parts/time.tsx'
import { pathIn } from './site.ts'

export const api = new Hono<Env>()

api.get('/api', async (c) => {
  const keys = await listKeys(c.get('ctx'), c.get('site'))
  const revoked = keys.find(({ id, revokedAt }) => id === c.req.query('revoked') && revokedAt)
  return sitePage(
    c,
    { tab: 'API' },
    <>
      <PageHeading
        title="API"
        lead="Programs read this site's content as JSON, each with a key of its own."
      />
      {revoked && <Done c={c}>The key “{revoked.name}” is revoked and opens nothing any more.</Done>}
      <Section id="connection" title="Connection">
        <dl class="copyables">
          <Copyable label="Base URL" text={baseUrl(c)} />
          <Copyable label="Site ID" text={c.get('site').id} />
        </dl>
        <FirstRequest c={c} apiKey="$API_KEY" />
        <p class="muted">
          All endpoints are described in <a href="/api/v1/openapi.json">openapi.json</a>.
        </p>
      </Section>
      <Section
        id="keys"
        title="Keys"
        lead="A key is shown once, when it is created. Only its hash is kept."
        action={
          <a class="button primary" href={pathIn(c, '/keys/new')}>
            New key
          </a>
        }
      >
        {keys.length > 0 ? (
          <Table
            label="Keys"
            columns={['Name', 'Key', 'Access', 'Created', 'Last used', 'Expires', '']}
            rows={keys.map((key) => [
              <>
                {key.name} <KeyState apiKey={key} />
              </>,
              <code>{shownKey(key)}</code>,
              key.access === 'full' ? 'Full' : 'Sitemap only',
              <Time at={key.createdAt} />,
              <Time at={key.lastUsedAt} />,
              <Time at={key.expiresAt} />,
              key.revokedAt === null && (
                <a href={pathIn(c, `/keys/${key.id}/revocation`)}>
                  Revoke<span class="visually-hidden"> {key.name}</span>
                </a>
              ),
            ])}
          />
        ) : (
          <EmptyState title="No keys yet">
            <p>
              Create one for each program that reads this site, such as your CMS. Then one can be revoked
              without the others.
            </p>
          </EmptyState>
        )}
      </Section>
    </>,
  )
})
