import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const STEPS = [0, 2, 4, 6, 8, 12, 16, 20, 24, 32, 40, 48]
/** Covers the border below. */
const BORDER = 'margin-bottom: -1px'

it('gaps, padding and margins of the console are steps of one scale', () => {
  const css = ['console', 'article']
    .map((name) => readFileSync(`functions/public/console/${name}.css`, 'utf8'))
    .join('')
  const spaces = [...css.matchAll(/^ *((?:row-|column-)?gap|(?:padding|margin)[a-z-]*): ([^;]+);/gm)]
  const odd = spaces.filter(
    ([, , value]) =>
      !/\b(calc|min|max|clamp)\(/.test(value!) &&
      [...value!.matchAll(/(\d+)px/g)].some(([, px]) => !STEPS.includes(Number(px))),
  )
  expect(spaces.length).toBeGreaterThan(100)
  expect(odd.map(([text]) => text.trim().replace(';', '')).filter((text) => text !== BORDER)).toEqual([])
})
