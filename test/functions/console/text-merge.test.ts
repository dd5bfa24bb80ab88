import { expect, it } from 'vitest'
import { blockTexts, mergeTexts } from '../../../functions/console/forms/text-merge.ts'

const same = (text: string) => text
const merge = (original: string, mine: string, theirs: string) =>
  mergeTexts(blockTexts(original), mine, theirs, same)

const html = (...blocks: string[]) => blocks.map((block) => `<p>${block}</p>`).join('')

it.each([
  ['different lines', 'a\nb\nc', 'a\nb\nC', 'A\nb\nc', 'A\nb\nC'],
  ['adjacent lines', 'a\nb', 'a\nB', 'A\nb', 'A\nB'],
  ['HTML in one line', html('a', 'b', 'c'), html('a', 'b', 'C'), html('A', 'b', 'c'), html('A', 'b', 'C')],
  ['HTML with other space', html('a', 'b'), '<p>a</p>\n<p>B</p>\n', html('A', 'b'), '<p>A</p><p>B</p>\n'],
  ['lines at both ends', 'b', 'b\nc', 'a\nb', 'a\nb\nc'],
  ['a removed and an added line', 'a\nb\nc', 'b\nc', 'a\nb\nc\nd', 'b\nc\nd'],
  ['the same change, and another', 'a\nb\nc', 'A\nb\nC', 'A\nb\nc', 'A\nb\nC'],
  ['blank lines', 'a\n\nb\n', 'a\n\nb\n\n\n', 'A\n\nb\n', 'A\n\nb\n\n\n'],
])('merges %s', (_, original, mine, theirs, merged) => {
  expect(merge(original, mine, theirs)).toEqual({ mine: merged, theirs: merged, both: merged })
  const swapped = merge(original, theirs, mine)!
  expect(blockTexts(swapped.mine)).toEqual(blockTexts(merged))
})

it.each([
  ['a line', 'a\nb\nc\nd', 'a\nM\nc\nD', 'A\nT\nc\nd', 'A\nM\nc\nD', 'A\nT\nc\nD', 'A\nT\nM\nc\nD'],
  ['the end', 'a', 'a\nm', 'a\nt', 'a\nm', 'a\nt', 'a\nt\nm'],
  ['a line that the other removed', 'a\nb\nc', 'a\nc', 'a\nB\nc', 'a\nc', 'a\nB\nc', 'a\nB\nc'],
])('has both versions where both changed %s', (_, original, mine, theirs, ...[asMine, asTheirs, both]) => {
  expect(merge(original, mine, theirs)).toEqual({ mine: asMine, theirs: asTheirs, both })
})

it('merges nothing if the texts differ too much', () => {
  const text = (word: string) => Array.from({ length: 2_000 }, (_, n) => `${word} ${n}`).join('\n')
  expect(merge(text('a'), text('b'), text('c'))).toBeNull()
})
