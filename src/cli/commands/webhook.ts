import { type Command, Option } from 'commander'
import { path } from '../client.ts'
import { verb } from '../command.ts'
import type { Io } from '../io.ts'
import { fieldLines } from '../output.ts'

type Endpoint = { url: string; secret?: string | null; previousSecretExpiresAt?: string | null }

/** Adds `webhook set|show|rotate|remove`. */
export function addWebhook(program: Command, io: Io): void {
  const noun = program.command('webhook').description('the webhook of a site')

  verb<{ url: string }>(
    io,
    noun,
    'set <site>',
    'set the URL; the secret is shown when there was none before',
    async (api, [site = ''], { url }) => {
      const endpoint = await api<Endpoint>('PUT', path`/sites/${site}/webhook`, { url })
      const { secret, ...rest } = endpoint
      const note = secret
        ? `secret  ${secret}\nKeep the secret: it is not shown again.`
        : 'The secret is kept as it was.'
      return { json: { ...rest, secret: secret ?? null }, text: `${fieldLines(rest)}\n${note}` }
    },
    [new Option('--url <url>', 'https URL that events are posted to').makeOptionMandatory()],
  )
  verb(io, noun, 'show <site>', 'show the URL', async (api, [site = '']) => {
    const endpoint = await api<Endpoint>('GET', path`/sites/${site}/webhook`)
    return { json: endpoint, text: fieldLines(endpoint) }
  })
  verb(
    io,
    noun,
    'rotate <site>',
    'make a new secret; the old one signs along for 24 hours',
    async (api, [site = '']) => {
      const rotation = await api<Endpoint>('POST', path`/sites/${site}/webhook/secret-rotations`)
      return { json: rotation, text: `${fieldLines(rotation)}\nKeep the secret: it is not shown again.` }
    },
  )
  verb(io, noun, 'remove <site>', 'remove the webhook', async (api, [site = '']) => {
    await api('DELETE', path`/sites/${site}/webhook`)
    return { json: { removed: true }, text: 'Removed' }
  })
}
