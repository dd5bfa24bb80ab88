/** Actions that ask for confirmation first. The deletion of a site, which requires its name, has tests of its own. */
import { describe, expect, it } from 'vitest'
import { browse } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { makeSite, manage, type TestSite, tryManage } from '../../support/site.ts'

type Action = {
  path: string
  question: string
  /** On the page after the confirmation. */
  outcome: string | RegExp
  isStillThere: () => Promise<boolean>
}

const isOk = async (answer: Promise<{ status: number }>) => (await answer).status === 200

const ACTIONS: Record<string, (site: TestSite) => Promise<Action>> = {
  'revoking a key': async (site) => ({
    path: `/keys/${site.keyId}/revocation`,
    question: `Revoke the key “test”? Programs that use hca_live_…${site.key.slice(-4)}`,
    outcome: /Key “test” revoked.* test .* Revoked \d+ \w+ \d{4}, \d\d:\d\d UTC/,
    isStillThere: () => isOk(site.get('/posts')),
  }),
  'deleting a post': async (site) => {
    for (const slug of ['old', 'kept'])
      await site.put(slug, { title: `Title <${slug}>`, status: 'published' })
    return {
      path: '/content/posts/old/deletion',
      question: 'Delete the post “Title <old>”?',
      outcome: /Post deleted\.(?!.*<old>).* Title <kept>/,
      isStillThere: () => isOk(site.get('/posts/old')),
    }
  },
  'deleting a guide': async (site) => {
    for (const slug of ['old', 'kept']) await putGuide(site, slug, { title: `Title <${slug}>` })
    return {
      path: '/content/guides/old/deletion',
      question: 'Delete the guide “Title <old>”?',
      outcome: /Guide deleted\.(?!.*<old>).* Title <kept>/,
      isStillThere: () => isOk(site.get('/guides/old')),
    }
  },
  'deleting a training row': async (site) => {
    await site.manage('POST', '/training-rows', { rows: [{ prompt: 'Why?', completion: 'c' }] })
    const { items } = await site.manage('GET', '/training-rows')
    return {
      path: `/content/training/${items[0]!.id}/deletion`,
      question: 'This cannot be undone.',
      outcome: 'Training row deleted.',
      isStillThere: async () => (await site.manage('GET', '/training-rows')).items.length > 0,
    }
  },
  'removing a webhook': async (site) => {
    await site.manage('PUT', '/webhook', { url: 'https://cms.example.org/' })
    return {
      path: '/integrations/webhook/removal',
      question: 'Remove the webhook “cms.example.org”?',
      outcome: /Webhook removed.* No webhook yet/,
      isStillThere: () => isOk(site.tryManage('GET', '/webhook')),
    }
  },
  'renewing the URLs of a sitemap': async (site) => {
    const { url } = await site.manage('PUT', '/sitemap')
    return {
      path: '/settings/sitemap/renewal',
      question: 'the old ones return 404',
      outcome: 'The sitemap has new URLs.',
      isStillThere: async () => (await site.manage('GET', '/sitemap')).url === url,
    }
  },
  'stopping a sitemap': async (site) => {
    await site.manage('PUT', '/sitemap')
    return {
      path: '/settings/sitemap/removal',
      question: 'Stop publishing the sitemap?',
      outcome: /The sitemap is no longer published\. .*Not published /,
      isStillThere: () => isOk(site.tryManage('GET', '/sitemap')),
    }
  },
  'removing a person': async () => {
    const name = `ada-${crypto.randomUUID()}`
    const { id } = await manage('POST', '/operators', { name, role: 'viewer' })
    return {
      path: `/console/people/${id}/deletion`,
      question: `Remove ${name}?`,
      outcome: 'was removed. All their access has ended.',
      isStillThere: () => isOk(tryManage('GET', `/operators/${id}`)),
    }
  },
}

describe.each(Object.entries(ACTIONS))('%s', (_, prepare) => {
  it('asks first and does nothing, then does it and says so', async () => {
    const site = await makeSite()
    const { read, submit } = await browse(site)
    const { path, question, outcome, isStillThere } = await prepare(site)
    expect(await read(path)).toContain(question)
    expect(await isStillThere()).toBe(true)
    const done = await submit(path)
    expect([done.status, done.words]).toEqual([303, expect.stringMatching(outcome)])
    expect(await isStillThere()).toBe(false)
  })
})

it('the page of a confirmation leads on when somebody else was faster', async () => {
  const site = await makeSite()
  const { at, open, submit } = await browse(site)
  await site.manage('PUT', `/keys/${site.keyId}/revocation`)
  expect((await open(`/keys/${site.keyId}/revocation`)).location).toBe(at('/api'))
  for (const page of ['/settings/sitemap/renewal', '/settings/sitemap/removal']) {
    expect((await open(page)).location).toContain(`${at('/settings/sitemap')}?done=stopped`)
    expect((await submit(page)).words).toContain('Not published ')
  }
  expect((await site.tryManage('GET', '/sitemap')).status).toBe(404)
})
