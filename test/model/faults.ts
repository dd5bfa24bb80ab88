/** Faults to seed: the protocol with one rule broken, for the search to find. */
import { post } from '../../functions/api/posts.ts'
import type { ContentScope } from '../../src/db/site-scope.ts'
import { selectVersions, withSeqlock } from '../../src/freshness/site-versions.ts'
import { formatVersions, type Versions } from '../../src/freshness/versions.ts'
import type { Seed } from './actor.ts'
import { type Call, commandsOf, type RedisRequest } from './calls.ts'
import { reader, SITE } from './reader.ts'
import { retitle, writer } from './writers.ts'

/** The script stores versions whatever token is there. */
export const storeOverAnyToken: Seed = () => (call, send) =>
  send({ ...call, text: call.text.replace('if token == ARGV[1] then', 'if true then') })

export const storeBeforeCommit = writer('content', async (ctx) => {
  const content = await withSeqlock(ctx, SITE, async () => {
    const [versions] = await selectVersions(ctx, SITE)
    const contentVersion = versions!.contentVersion + 1
    return { result: contentVersion, versions: { ...versions!, contentVersion } }
  })
  await ctx.db.batch([retitle(ctx)])
  return { content, revoked: false }
})

/** The sweep reads the versions, and sets its token only afterwards. */
export const readBeforeStarting: Seed = () => {
  let held: Call | null = null
  return async (call, send) => {
    const [command] = commandsOf(call)
    if (command?.[0] === 'MSET') {
      held = call
      return '[{"result":"OK"}]'
    }
    const reply = await send(call)
    if (held && call.text.includes('sites')) {
      const late = held
      held = null
      await send(late)
    }
    return reply
  }
}

export const writeWithoutMark: Seed = () => async (call, send) => {
  const commands = commandsOf(call)
  if (commands[0]?.[0] !== 'ZADD') return send(call)
  const text = JSON.stringify({ commands: commands.slice(1), isPipeline: true } satisfies RedisRequest)
  return `[{"result":1},${(await send({ ...call, text })).slice(1)}`
}

/** A key's cached access counts as current, whatever the version of the keys. */
export const ignoreAuthVersion: Seed = () => async (call, send) =>
  (await send(call)).replace(/"\d+(\/\d+\/[\da-f]+\/\d+\/[\da-f]+)"/, '"1$1"')

/** The versions of slugs from the isolate's first request count as current. */
export const keepSlugVersions =
  ({ slugVersions }: Versions): Seed =>
  () =>
  async (call, send) =>
    (await send(call)).replace(/"(\d+\/\d+)\/[\da-f]+(\/\d+\/[\da-f]+)"/, `"$1/${slugVersions}$2"`)

/** While there is a token, the versions from before it count as current. */
export const ignoreToken =
  (versions: Versions): Seed =>
  () =>
  async (call, send) =>
    (await send(call)).replace('"~"', `"${formatVersions(versions)}"`)

export const shareBodiesOfAllVersions: Seed = () => (call, send) =>
  send(call.to === 'bodies' ? { ...call, text: call.text.replace(/%20\d+%20.*?%22"/, '%200%20"') } : call)

/** The body is cached under the requested version, whatever version it was read at. */
export const keepUnderTheVersionAsked: typeof reader = (memory, request) =>
  reader(memory, request, async () => (ctx, site, view, input) => {
    const noteVersionRead = () => ctx.noteVersionRead(site.contentVersion)
    return post.load({ ...ctx, noteVersionRead }, site, view, input)
  })

/** The body is loaded before Redis has admitted the request, and cached under the version that Redis then returns. */
export const loadBeforeAdmission: typeof reader = (memory, request) =>
  reader(memory, request, async (isolate) => {
    const site = { id: SITE } as ContentScope
    const input = { slug: 'a', include: [] as string[], fields: null }
    const early = await post.load(isolate.context(), site, { visibility: 'all' }, input)
    return async (ctx, { contentVersion }) => {
      ctx.noteVersionRead(contentVersion)
      return early
    }
  })

/** A reader with a fault in its calls. */
export function readingWith(seed: Seed): typeof reader {
  return (memory, request) => ({ ...reader(memory, request), seed })
}
