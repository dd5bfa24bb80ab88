import { expect, it } from 'vitest'
import { untilUnanswered } from '../../src/local/worker-process.ts'

it('tolerates a slow answer, and ends after two in a row', async () => {
  const answers = [true, false, true, false, false, true]
  await untilUnanswered(async () => answers.shift()!)
  expect(answers).toEqual([true])
})
