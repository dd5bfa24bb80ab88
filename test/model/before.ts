/**
 * The Worker of before, which may run beside this one while it is deployed: it had the token in the same key, and published
 * in another one. Its calls are made of those of this one.
 */
import type { Seed } from './actor.ts'
import { commandsOf, type RedisRequest } from './calls.ts'
import { SITE } from './reader.ts'

const SEQUENCE = `model:versions:${SITE}:sequence`
const PUBLISHED = `model:versions:${SITE}:published`
const PUBLISH = `
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return { 0, 0 } end
  redis.call('SET', KEYS[2], ARGV[2])
  return { 1, 0 }`

export const asBefore: Seed = () => async (call, send) => {
  const commands = commandsOf(call)
  if (!call.text.includes(SEQUENCE)) return send(call)
  const { isPipeline } = JSON.parse(call.text) as RedisRequest
  const text = JSON.stringify({ commands: commands.map(commandOfBefore), isPipeline } satisfies RedisRequest)
  const reply = JSON.parse(await send({ ...call, text }))
  for (const [at, [name]] of commands.entries()) {
    const answer = isPipeline ? reply[at] : reply
    if (name === 'GET' || name === 'MGET') answer.result = withVersions(answer.result, name)
  }
  return JSON.stringify(reply)
}

function commandOfBefore([name, ...args]: string[]): string[] {
  switch (name) {
    case 'SET':
      return [name, args[0]!, args[1]!.slice(1)]
    case 'EVAL': {
      const token = args[4]!.slice(1)
      return [name, PUBLISH, '2', SEQUENCE, PUBLISHED, token, `${token}/${args[6]}`]
    }
    case 'GET':
    case 'MGET':
      return ['MGET', ...args, PUBLISHED]
    default:
      return [name!, ...args]
  }
}

/** The two values at the end are one again. */
function withVersions(values: (string | null)[], name: string) {
  const [sequence, published] = values.slice(-2)
  const versions = published?.startsWith(`${sequence}/`) ? published.slice(sequence!.length + 1) : null
  return name === 'GET' ? versions : [...values.slice(0, -2), versions]
}
