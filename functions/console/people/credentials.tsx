/** Tokens and sessions of a person. */
import type * as z from 'zod/mini'
import { orNull } from '../../../src/core/errors.ts'
import { UUID } from '../../../src/core/ids.ts'
import { createToken, revokeToken } from '../../../src/people/operator-tokens.ts'
import { endSessions, type Session } from '../../../src/people/sessions.ts'
import { createApp, type Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { redirectDone } from '../actions/done.tsx'
import { Success } from '../actions/success.tsx'
import { readForm } from '../forms/form.ts'
import { Badge, isLive, ValidityBadge } from '../parts/badge.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Section } from '../parts/page.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { shownOncePage } from '../parts/shown-once.tsx'
import { Table } from '../parts/table.tsx'
import { Day, Time } from '../parts/time.tsx'
import { clearSessionCookie } from '../sign-in/session.ts'
import { useRequestContext } from '../site.ts'
import { PEOPLE, type Person, readPerson } from './person.ts'

export const credentials = createApp()

credentials.post('/:operatorId/tokens', async (c) => {
  const person = await readPerson(c)
  const { id = '' } = await readForm(c)
  const own = { id: UUID.test(id) ? id : undefined }
  const token = await orNull(createToken(c.get('ctx'), person.id, own), 'token_exists')
  return token ? tokenPage(c, person, token) : redirectDone(c, `${PEOPLE}/${person.id}`, 'people', 'created')
})

credentials.post('/:operatorId/tokens/:tokenId/revocation', async (c) => {
  const { id } = await readPerson(c)
  await revokeToken(c.get('ctx'), id, idOf(c, 'tokenId', 'token_not_found'))
  return redirectDone(c, `${PEOPLE}/${id}`, 'people', 'revoked')
})

export function tokenPage(
  c: Http,
  { id, name }: Pick<Person, 'id' | 'name'>,
  { token, expiresAt }: { token: string; expiresAt: string },
) {
  return shownOncePage(c, {
    page: { workspace: 'People', title: 'Token created' },
    lead: `For ${name}.`,
    warning: 'Copy the token now and share it. You will not be able to see it again.',
    label: 'Token',
    text: token,
    done: `${PEOPLE}/${id}`,
    below: (
      <p class="muted">
        It expires <Time at={expiresAt} />. Use it to sign in to this console, or on the command line as
        HCA_TOKEN.
      </p>
    ),
  })
}

export function TokensSection({ person, mayChange }: { person: Person; mayChange: boolean }) {
  const path = `${PEOPLE}/${person.id}`
  return (
    <Section
      id="tokens"
      title="Tokens"
      lead="Revoking a token also revokes those created with it."
      action={
        mayChange && (
          // The id keeps a reload from creating a second token.
          <PostButton action={`${path}/tokens`} name="id" value={crypto.randomUUID()}>
            New token
          </PostButton>
        )
      }
    >
      {person.tokens.length > 0 && (
        <Table
          isDense
          isEven
          label="Tokens"
          columns={['Ends with', 'Created', 'Last used', 'Expires', '']}
          rows={person.tokens.map((token) => [
            <code>…{token.lastFour}</code>,
            <Day at={token.createdAt} />,
            <Time at={token.lastUsedAt} isRelative />,
            <Day at={token.expiresAt} />,
            mayChange && isLive(token) ? (
              <PostButton class="button small" action={`${path}/tokens/${token.id}/revocation`}>
                Revoke<span class="visually-hidden"> …{token.lastFour}</span>
              </PostButton>
            ) : (
              <ValidityBadge of={token} />
            ),
          ])}
        />
      )}
    </Section>
  )
}

credentials.post('/:operatorId/sessions/removal', async (c) => {
  const { id } = await readPerson(c)
  return afterEnd(c, id, await endSessions(c.get('ctx'), id, null), c.get('person').id === id)
})

credentials.post('/:operatorId/sessions/:sessionId/removal', async (c) => {
  const { id } = await readPerson(c)
  const session = idOf(c, 'sessionId', 'session_not_found')
  return afterEnd(c, id, await endSessions(c.get('ctx'), id, session), c.get('person').session === session)
})

/** Signs out people who ended their own session. */
function afterEnd(c: Http, id: string, ended: number, isOwn: boolean) {
  if (!isOwn || c.get('person').session === null)
    return c.redirect(`${PEOPLE}/${id}?ended=${ended}#sessions`, 303)
  clearSessionCookie(c)
  return c.redirect(`/console/sign-in?out=${ended}`, 303)
}

export function SessionsSection({ person, open }: { person: Person; open: z.infer<typeof Session>[] }) {
  const c = useRequestContext()
  const path = `${PEOPLE}/${person.id}/sessions`
  const ended = c.req.query('ended')
  if (open.length === 0 && !ended) return null
  return (
    <Section
      id="sessions"
      title="Sessions"
      lead="Signing out leaves tokens valid."
      action={open.length > 0 && <PostButton action={`${path}/removal`}>Sign out everywhere</PostButton>}
    >
      {ended && <Success>{formatQuantity(Number(ended), 'session')} ended.</Success>}
      {open.length > 0 && (
        <Table
          isDense
          isEven
          label="Sessions"
          columns={['Browser', 'Signed in', 'Last seen', 'Ends', '']}
          rows={open.map((session) => [
            <>
              {session.browser ?? 'Unknown browser'}{' '}
              {session.id === c.get('person').session && <Badge tone="success" text="Current" />}
            </>,
            <Time at={session.createdAt} isRelative />,
            <Time at={session.lastSeenAt} isRelative />,
            <Time at={session.expiresAt} />,
            <PostButton class="button small" action={`${path}/${session.id}/removal`}>
              Sign out
              <span class="visually-hidden"> {session.browser ?? 'Unknown browser'}</span>
            </PostButton>,
          ])}
        />
      )}
    </Section>
  )
}
