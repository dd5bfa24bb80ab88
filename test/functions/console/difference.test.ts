import { expect, it } from 'vitest'
import { differencesOf } from '../../../functions/console/forms/difference.ts'

/** `[-saved-]` and `{+mine+}`. */
const shown = (theirs: string, mine: string) =>
  differencesOf(theirs, mine)
    .map(({ in: version, text }) =>
      version === 'both' ? text : version === 'theirs' ? `[-${text}-]` : `{+${text}+}`,
    )
    .join('')

it.each([
  ['One two three', 'One 2 three', 'One [-two-]{+2+} three'],
  ['a\nb\nc\n', 'a\nc\nd\n', 'a\n[-b\n-]c\n{+d\n+}'],
  ['a\nold text here\nc', 'a\nnew text here\nc', 'a\n[-old-]{+new+} text here\nc'],
  ['', 'new', '{+new+}'],
  ['<p>one</p>', '<h2>Something else</h2>', '[-<p>one</p>-]{+<h2>Something else</h2>+}'],
  ['<p>a text here</p>', '<h2>a text here</h2>', '[-<p>-]{+<h2>+}a text here[-</p>-]{+</h2>+}'],
  ['same', 'same', 'same'],
])('%j and %j differ in words and lines', (theirs, mine, difference) => {
  expect(shown(theirs, mine)).toBe(difference)
})

it('leaves out what is far from a difference, and loses nothing else', () => {
  const far = 'Unchanged words. '.repeat(100)
  const text = shown(`${far}\nold\n${far}`, `${far}\nnew\n${far}`)
  expect(text).toMatch(/^…\nUnchanged .* words\. \n\[-old\n-\]\{\+new\n\+\}Unchanged .* words\. …$/s)
  expect(text.length).toBeLessThan(1_000)
})

it('has both texts as a whole if they differ too much', () => {
  const text = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word} ${n}`).join('\n')
  expect(differencesOf(text('a'), text('b'))).toEqual([
    { in: 'theirs', text: text('a') },
    { in: 'mine', text: text('b') },
  ])
})
