import { orNull } from '../../../src/core/errors.ts'
import { UUID } from '../../../src/core/ids.ts'
import { createToken, revokeToken } from '../../../src/people/operator-tokens.ts'
import { createApp, type Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { redirectDone } from '../actions/done.tsx'
import { readForm } from '../forms/form.ts'
import { isLive, ValidityBadge } from '../parts/badge.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Section } from '../parts/page.tsx'
import { shownOncePage } from '../parts/shown-once.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { PEOPLE, type Person, readPerson } from './person.ts'

export const tokens = createApp()

tokens.post('/:operatorId/tokens', async (c) => {
  const person = await readPerson(c)
  const { id = '' } = await readForm(c)
  const own = { id: UUID.test(id) ? id : undefined }
  const token = await orNull(createToken(c.get('ctx'), person.id, own), 'token_exists')
  return token ? tokenPage(c, person, token) : redirectDone(c, `${PEOPLE}/${person.id}`, 'people', 'created')
})

tokens.post('/:operatorId/tokens/:tokenId/revocation', async (c) => {
  const { id } = await readPerson(c)
  await revokeToken(c.get('ctx'), id, idOf(c, 'tokenId', 'token_not_found'))
  return redirectDone(c, `${PEOPLE}/${id}`, 'people', 'revoked')
})

export function tokenPage(
  c: Http,
  { id, name }: Pick<Person, 'id' | 'name'>,
  { token, expiresAt }: NewToken,
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

type NewToken = { token: string; expiresAt: string }

type TokensSectionProps = { person: Person; mayChange: boolean }

export function TokensSection({ person, mayChange }: TokensSectionProps) {
  const path = `${PEOPLE}/${person.id}`
  return (
    <Section
      id="tokens"
      title="Tokens"
      lead="Revoking a token also revokes the tokens that were created with it."
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
            <Time at={token.createdAt} isRelative />,
            <Time at={token.lastUsedAt} isRelative />,
            <Time at={token.expiresAt} />,
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
