import type * as z from 'zod/mini'
import { endSessions, type Session } from '../../../src/people/sessions.ts'
import { createApp, type Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { Success } from '../actions/success.tsx'
import { Badge } from '../parts/badge.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Section } from '../parts/page.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { clearSessionCookie } from '../sign-in/session.ts'
import { useRequestContext } from '../site.ts'
import { PEOPLE, type Person, readPerson } from './person.ts'

export const sessions = createApp()

sessions.post('/:operatorId/sessions/removal', async (c) => {
  const { id } = await readPerson(c)
  return afterEnd(c, id, await endSessions(c.get('ctx'), id, null), c.get('person').id === id)
})

sessions.post('/:operatorId/sessions/:sessionId/removal', async (c) => {
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
