import { expect, it } from 'vitest'
import type { Api } from '../../../src/transfer/api.ts'
import { settleMissing } from '../../../src/transfer/missing.ts'

const MISSING = [{ kind: 'posts' as const, slug: 'a', origin: 'wordpress:b.example:1', isOfSource: true }]

async function settled(isWhole: boolean, isPartial: boolean) {
  const asked: unknown[] = []
  const api = (async (route: unknown, values: unknown) => void asked.push([route, values])) as unknown as Api
  const said: Record<string, unknown> = {}
  const report = { add: (more: object) => void Object.assign(said, more), isWhole: () => isWhole }
  await settleMissing(api, 's', MISSING, report, {
    dryRun: false,
    deleteMissing: 'delete',
    isPartial,
    unsent: null,
  })
  return { asked: asked.length, said: said.goneArticles }
}

it('missing articles are deleted only when the whole source was read', async () => {
  expect(await settled(true, false)).toEqual({ asked: 1, said: 'deleted' })
  expect(await settled(true, true)).toEqual({
    asked: 0,
    said: 'stay, since the source shows only public articles',
  })
  expect(await settled(false, false)).toEqual({ asked: 0, said: 'stay, since some items were skipped' })
})
