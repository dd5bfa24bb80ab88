import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Service, startService } from '../support/service.ts'

const ROWS = 12
const ROW_BYTES = 1_000_000

let service: Service

beforeAll(async () => {
  // So that the next rows are still being sent when the first have arrived.
  service = await startService({ latencyMs: 400 })
})

afterAll(() => service.stop())

it('an export that broke off because Postgres went down is complete for the next client', async () => {
  const site = await service.makeSite({ trainingOptIn: true })
  const rows = Array.from({ length: ROWS }, (_, n) => ({ prompt: `${n}`, completion: 'x'.repeat(ROW_BYTES) }))
  for (const half of [rows.slice(0, ROWS / 2), rows.slice(ROWS / 2)]) {
    await service.manage('POST', `${site.path}/training-rows`, { rows: half })
  }
  const ask = () =>
    fetch(`${service.origin}/api/v1${site.path}/training/export`, {
      headers: { Authorization: `Bearer ${site.key}` },
    })
  const first = await ask()
  const reader = first.body!.getReader()
  await reader.read()
  await service.postgres.become('cut')
  const rest = (async () => {
    while (!(await reader.read()).done);
  })()
  await expect(rest).rejects.toThrow()
  await service.postgres.become('sound')
  const lines = (await (await ask()).text()).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line).prompt)).toEqual(Array.from({ length: ROWS }, (_, n) => `${n}`))
})
