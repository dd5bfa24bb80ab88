/** Compares the audit log of a site with its posts: the entries of a post, in sequence, lead to its current state. */

type State = Record<string, unknown>
type Entry = {
  id: string
  action: string
  slug: string
  channel: string
  before: State | null
  after: State | null
}

/** In the entries, by the names of columns. */
const LOGGED = ['slug', 'status', 'published_at', 'language', 'quality_band', 'review_status']

/** Contradictions between entries and posts or other entries, with the interface of each. */
export async function readAuditLog(sql: (statement: string) => Promise<unknown>, siteId: string) {
  const rows = async <Row>(statement: string) => ((await sql(statement)) as { rows: Row[] }).rows
  const entries = await rows<Entry>(
    `select resource_id as id, action, subject as slug, channel, before, after from audit_log
     where site_id = '${siteId}' and action like 'post.%' order by audit_log.id`,
  )
  const posts = await rows<{ id: string; post: State }>(
    `select id, to_jsonb(posts) as post from posts where site_id = '${siteId}'`,
  )
  const faults: string[] = []
  const states = new Map<string, State>()
  for (const { id, action, slug, before, after } of entries) {
    const state = states.get(id)
    if (!state !== (action === 'post.created'))
      faults.push(`${slug}: ${action} of a post that is ${state ? 'there' : 'not'}`)
    // The names of the edited fields are no state.
    const { fields: _, ...changed }: State = { ...before, ...after }
    for (const name of Object.keys(changed)) {
      const [was, said] = [state?.[name], before?.[name]]
      if (!same(was, said)) faults.push(`${slug}: ${action} with ${name} ${said} before, which was ${was}`)
    }
    if (action === 'post.deleted') states.delete(id)
    else states.set(id, { slug, ...state, ...cleared(before), ...after })
  }
  for (const { id, post } of posts) {
    const state = states.get(id)
    const wrong = LOGGED.filter((name) => !same(state?.[name], post[name]))
    if (wrong.length > 0) faults.push(`${post.slug}: the log leads to another ${wrong.join(', ')}`)
    states.delete(id)
  }
  for (const { slug } of states.values()) faults.push(`${slug}: is gone, and no entry says so`)
  return { faults, channels: [...new Set(entries.map(({ channel }) => channel))].toSorted() }
}

/** A field in an entry's `before` and not in its `after` is empty now. */
const cleared = (before: State | null) =>
  Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null]))

function same(one: unknown, other: unknown): boolean {
  const [a, b] = [one, other].map((value) => {
    const at = typeof value === 'string' && value.includes('T') ? Date.parse(value) : Number.NaN
    return Number.isNaN(at) ? (value ?? null) : at
  })
  return a === b
}
