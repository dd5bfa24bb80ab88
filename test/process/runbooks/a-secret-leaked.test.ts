/** The rows of the table that are no rotation. `test/process/rotation.test.ts` has the others. */
import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { emptyDatabase } from '../../support/restore-steps.ts'
import { startService } from '../../support/service.ts'

it('`OPERATOR_TOKEN`: without it, neither the token nor its session works', async () => {
  const service = await startService()
  onTestFinished(() => service.stop())
  const cookie = await service.cookie()
  const without = await service.startAnother({ secrets: { OPERATOR_TOKEN: randomBytes(32).toString('hex') } })
  const headers = { Authorization: `Bearer ${service.operatorToken}` }
  expect((await fetch(`${without.origin}/manage/v1/sites`, { headers })).status).toBe(401)
  const page = await fetch(`${without.origin}/console/overview`, {
    redirect: 'manual',
    headers: { Cookie: cookie },
  })
  expect(page.status).toBe(303)
})

it('a dump has no key, token or secret in clear', async () => {
  const service = await startService()
  onTestFinished(() => service.stop())
  const site = await service.makeSite()
  const { secret } = await service.manage<{ secret: string }>('PUT', `${site.path}/webhook`, {
    url: 'https://hooks.example.com/',
  })
  await service.manage('PUT', `${site.path}/posts/a`, {
    title: 'A title in it',
    contentHtml: '<p>Words.</p>',
  })
  const { token: link } = await service.manage<{ token: string }>(
    'POST',
    `${site.path}/posts/a/preview-links`,
    {},
  )
  const { tokens } = JSON.parse(await service.admin('--json operator add ada --role editor'))
  await service.cookie()
  const { run } = await emptyDatabase()
  expect(run(`DATABASE_URL="${service.database}" docs/examples/deploy/backup.sh "$BACKUP"`)).toMatchObject({
    status: 0,
  })
  const { stdout } = run('pg_restore --file - "$BACKUP"')
  expect(stdout).toContain('A title in it')
  for (const each of [site.key, secret, link, tokens[0].token, ...Object.values(service.secrets)]) {
    expect(stdout).not.toContain(each.replace(/^whsec_/, ''))
  }
})
