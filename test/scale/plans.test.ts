import { expect, inject, it } from 'vitest'
import { startStack } from '../../src/local/stack.ts'
import { createSite, getSiteScope } from '../../src/sites/sites.ts'
import { fill, fillGuides, fillNeighbours } from '../bench/scale/fill.ts'
import { explainAll, readsWholeSite, sequentialScans, wastefulReads } from '../bench/scale/plans.ts'
import { createDatabase, query } from '../support/databases.ts'
import { contextOver } from '../support/verbs.ts'

const POSTS = 20_000
const NEIGHBOURS = 100
const GUIDES = 50

const server = inject('server')!

it('no statement scans the posts or guides of all sites, or many rows of its own site for a short answer', async () => {
  const database = await createDatabase(server)
  // In tables this small, a scan can cost less than random page reads, and the order of the sites' ids would decide.
  await query(database.url, `alter database ${database.name} set random_page_cost = 1.1`)
  const stack = await startStack({ databaseUrl: database.url })
  try {
    await stack.migrate()
    const ctx = contextOver(stack)
    const { id } = await createSite(ctx, {
      name: 'Large',
      domain: 'large.example.com',
      trainingOptIn: true,
    })
    await fillNeighbours(database.url, NEIGHBOURS)
    await fill(database.url, id, POSTS)
    await fillGuides(database.url, GUIDES)
    await query(database.url, 'vacuum analyze')
    const plans = await explainAll(database.url, ctx, await getSiteScope(ctx, id))
    expect(plans.length).toBeGreaterThan(50)
    expect(sequentialScans(plans).filter(({ name }) => !readsWholeSite(name))).toEqual([])
    expect(wastefulReads(plans)).toEqual([])
    const [neighbour] = await query(database.url, 'select id from sites limit 1 offset 50')
    const small = await explainAll(database.url, ctx, await getSiteScope(ctx, neighbour.id))
    expect(sequentialScans(small)).toEqual([])
  } finally {
    await stack.stop()
    await database.drop()
  }
})
