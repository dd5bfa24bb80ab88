/**
 * The Worker of before, which may run beside this one while it is deployed: it knew no versions of slugs nor of what is published, and what it has not
 * published itself is stale to it. Its calls are made of those of this one.
 */
import type { Seed } from './actor.ts'
import { commandsOf, type RedisRequest } from './calls.ts'

/** As this one publishes them, in JSON, and as that one did. */
const OF_THIS = /"(\d+\/\d+)\/[\da-f]+\/\d+\/[\da-f]+"/g
const OF_BEFORE = /"(\d+\/(\d+))"/g

export const asBefore: Seed = () => async (call, send) => {
  if (call.to !== 'redis') return send(call)
  const { isPipeline } = JSON.parse(call.text) as RedisRequest
  const commands = JSON.stringify(commandsOf(call)).replace(OF_THIS, '"$1"')
  const reply = await send({ ...call, text: `{"commands":${commands},"isPipeline":${isPipeline}}` })
  return reply.replace(OF_THIS, 'null').replace(OF_BEFORE, (_, versions: string, content: string) => {
    const slugVersions = Number(content).toString(16).padStart(11, '0').repeat(32)
    return `"${versions}/${slugVersions}/${content}/${slugVersions}"`
  })
}
