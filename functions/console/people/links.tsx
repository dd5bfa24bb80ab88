import { AppError } from '../../../src/core/errors.ts'
import { UUID } from '../../../src/core/ids.ts'
import { isTokenSignInAllowed } from '../../../src/people/sessions.ts'
import { canMail, createLink, LINK_HOURS, LinkInput, revokeLink } from '../../../src/people/sign-in-links.ts'
import { createApp, type Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { redirectDone } from '../actions/done.tsx'
import { readForm, submit } from '../forms/form.ts'
import { Badge, isLive, ValidityBadge } from '../parts/badge.tsx'
import { TextField } from '../parts/fields/field.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Section } from '../parts/page.tsx'
import { shownOncePage } from '../parts/shown-once.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useRequestContext } from '../site.ts'
import { isAdmin, PEOPLE, type Person, readPerson } from './person.ts'

type Link = Person['links'][number]
type Named = Pick<Person, 'id' | 'name'>

export const links = createApp()

links.post('/:operatorId/links', async (c) => {
  const person = await readPerson(c)
  const { id, email } = await readForm(c)
  return createAndShowLink(c, person, { id, email })
})

links.post('/:operatorId/links/:linkId/revocation', async (c) => {
  const { id } = await readPerson(c)
  await revokeLink(c.get('ctx'), id, idOf(c, 'linkId', 'token_not_found'))
  return redirectDone(c, `${PEOPLE}/${id}`, 'people', 'linkRevoked')
})

type Given = { id?: string | undefined; email?: string | undefined }

/** Creates a link and shows it, or emails it and redirects to the person. */
export async function createAndShowLink(c: Http, person: Named, { id = '', email }: Given) {
  const page = `${PEOPLE}/${person.id}`
  const consoleUrl = new URL('/console', c.req.url).href
  const options = { consoleUrl, id: UUID.test(id) ? id : undefined }
  const { result, errors } = await submit(
    LinkInput,
    { email: email?.trim() || undefined },
    (input) => createLink(c.get('ctx'), person, { ...input, ...options }),
    { refusals: { token_exists: { id: 'exists' } } },
  )
  if (errors?.id) return redirectDone(c, page, 'people', 'linked')
  if (errors) {
    const message = `The address ${errors.email ?? errors['']}. Create a link without one, and share it yourself`
    throw new AppError('invalid_body', { path: '', message })
  }
  if (result.url === null) return redirectDone(c, page, 'people', 'mailed')
  return linkPage(c, person, { url: result.url, expiresAt: result.expiresAt })
}

function linkPage(c: Http, { id, name }: Named, { url, expiresAt }: { url: string; expiresAt: string }) {
  return shownOncePage(c, {
    page: { workspace: 'People', title: 'Sign-in link created' },
    lead: `For ${name}.`,
    warning: 'Copy the link now and share it. You will not be able to see it again.',
    label: 'Link',
    text: url,
    done: `${PEOPLE}/${id}`,
    below: (
      <p class="muted">
        Anyone with this link can sign in once, until <Time at={expiresAt} />. Revoking it also ends the
        session that it started.
      </p>
    ),
  })
}

/** Shown to admins if the deployment can send email. */
export function EmailField({ error, value }: { error?: string | undefined; value?: string | undefined }) {
  const c = useRequestContext()
  if (!canMail(c.get('ctx')) || !isAdmin(c)) return null
  return (
    <TextField
      label="Email the link to"
      name="email"
      value={value}
      error={error}
      placeholder="ada@example.com"
      hint="Leave empty to get the link here and share it yourself."
    />
  )
}

export function LinksSection({ person, mayChange }: { person: Person; mayChange: boolean }) {
  const c = useRequestContext()
  const isEmpty = !mayChange && person.links.length === 0
  if (isEmpty || !isTokenSignInAllowed(c.get('ctx').config)) return null
  const path = `${PEOPLE}/${person.id}/links`
  return (
    <Section
      id="links"
      title="Sign-in links"
      lead={`A link signs in once, within ${LINK_HOURS} hours. Revoking it ends its session.`}
      action={
        mayChange && (
          <form method="post" action={path}>
            <EmailField />
            {/* The id keeps a reload from creating a second link. */}
            <input type="hidden" name="id" value={crypto.randomUUID()} autocomplete="off" />
            <button type="submit" class="button">
              New link
            </button>
          </form>
        )
      }
    >
      {person.links.length > 0 && (
        <Table
          isDense
          isEven
          label="Sign-in links"
          columns={['Link', 'Used', 'Expires', '']}
          rows={person.links.map((link, index) => [
            <>
              Created <Time at={link.createdAt} isRelative /> <LinkState link={link} />
              {link.sentTo && <span class="below"> {link.sentTo}</span>}
            </>,
            link.usedAt && <Time at={link.usedAt} isRelative />,
            link.usedAt ? null : <Time at={link.expiresAt} />,
            // A used link can be revoked too: its session may be active.
            mayChange && isLive(link) && (
              <PostButton class="button small" action={`${path}/${link.id}/revocation`}>
                Revoke<span class="visually-hidden"> link {index + 1}</span>
              </PostButton>
            ),
          ])}
        />
      )}
    </Section>
  )
}

function LinkState({ link }: { link: Link }) {
  if (link.usedAt && !link.revokedAt) return null
  return isLive(link) ? <Badge text="Unused" /> : <ValidityBadge of={link} />
}
