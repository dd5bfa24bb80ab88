import { describe, expect, it } from 'vitest'
import { absoluteHtml } from '../../src/content/feeds/absolute-html.ts'
import { htmlProblems } from '../../src/html/problems.ts'
import { cpuSeconds, LINEAR_SECONDS } from '../support/cpu-time.ts'

/** Malformed HTML whose repetition makes careless parsers slow. */
const PARTS = [
  '<div>',
  '<b>',
  '</b>',
  '<p><b>',
  '<li>',
  '<td>',
  '<p><button>',
  '<a "',
  '<div><a href=x>',
  '<a href="',
  '<script>',
]
const SRCSETS = ['a ', 'a,']
const LENGTH = 1_000_000

describe('a million characters take linear time', () => {
  const repeated = (part: string) => part.repeat(LENGTH / part.length)

  it.each(PARTS)('when the editor checks %j', (part) => {
    expect(cpuSeconds(() => htmlProblems(repeated(part)))).toBeLessThan(LINEAR_SECONDS)
  })

  it.each(PARTS)('when a feed cleans %j', (part) => {
    const clean = () => absoluteHtml(repeated(part), 'https://a.example/b')
    expect(cpuSeconds(clean)).toBeLessThan(LINEAR_SECONDS)
  })

  it.each(SRCSETS)('when a feed cleans a srcset of %j', (part) => {
    const clean = () => absoluteHtml(`<img srcset="${repeated(part)}">`, 'https://a.example/b')
    expect(cpuSeconds(clean)).toBeLessThan(LINEAR_SECONDS)
  })
})
