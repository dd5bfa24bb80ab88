import { describe, expect, it } from 'vitest'
import { convertMarkdown } from '../../../src/convert/convert.ts'
import { checkSize } from '../../../src/convert/limits.ts'
import { looksTheSame } from '../../../src/convert/to-markdown.ts'

describe('a text that would keep the Worker busy is refused before it is parsed', () => {
  it.each([
    ['a'.repeat(100_001), 'more than 100,000 characters'],
    ['* a\n'.repeat(2_000), 'more than 1,500 lines'],
    ['a\r'.repeat(2_000), 'more than 1,500 lines'],
    ['a*'.repeat(20_000), 'more than 10,000 marks such as * or ['],
    ['a*a*a*a*a*a*a*\n\n'.repeat(749).repeat(2), 'more than 1,500 lines'],
    ['a*'.repeat(2_001), 'more than 2,000 marks such as * or [ in one paragraph'],
    ['[toc]\n'.repeat(1_001), 'more than 2,000 marks such as * or [ in one paragraph'],
    [`${'[x]: '.repeat(600)}\n2. ${'[x]: '.repeat(600)}`, /in one paragraph$/],
    [`${'*a*'.repeat(600)}\n    - ${'*a*'.repeat(600)}`, /in one paragraph$/],
  ])('%#', (text, reason) => {
    expect(() => checkSize(text)).toThrow(reason)
  })

  it('but not a long list of changes, as in a release', () => {
    const change = `* [[\`0123456789\`](https://a.example/commit)] - **fs**: a change _(Somebody)_\n`
    expect(() => checkSize(change.repeat(700))).not.toThrow()
  })
})

describe('containers', () => {
  it.each([
    ['that are not closed', ':::a\n'.repeat(190)],
    ['with a title', '::: note A title\n'.repeat(190)],
    ['in a quote', '> :::a\n'.repeat(190)],
    ['in a list', `- a\n${'  :::a\n'.repeat(190)}`],
    ['with shorter ends', '::::a\n:::\n'.repeat(190)],
    ['with ends of a quote', ':::a\n> :::\n'.repeat(190)],
    ['with ends in code', ':::a\n      :::\n'.repeat(190)],
    ['around code', '```\n:::a\n```\n:::::b\n:::\n'.repeat(190)],
  ])('%s count as nesting', (_, text) => {
    expect(() => convertMarkdown(text, { hasTitle: true })).toThrow(
      'nested too deeply (more than 30 levels of :::)',
    )
  })

  it('in a row do not', () => {
    const text = ':::note\na\n:::\n\n> :::tip\n> b\n> :::\n\n- :::tip\n  c\n  :::\n\n'.repeat(40)
    expect(convertMarkdown(text, { hasTitle: true }).html.match(/<aside/g)).toHaveLength(120)
  })
})

describe('tags that do not end take linear time', () => {
  it.each(['<p ', '<pre '])('%s in a comparison', (tag) => {
    expect(looksTheSame(tag.repeat(150_000), `${tag.repeat(150_000)}a`)).toBe(false)
  })

  it('in raw HTML', () => {
    const { losses } = convertMarkdown(`<div>\n${'<p '.repeat(100_000)}`, { hasTitle: true })
    expect(losses).not.toContainEqual(expect.objectContaining({ detail: expect.stringContaining('style') }))
  })

  it('and white space in code stays significant', () => {
    expect(looksTheSame('<p>a</p> <p>b  c</p>', '<p>a</p><p>b c</p>')).toBe(true)
    expect(looksTheSame('<pre>a  b</pre>', '<pre>a b</pre>')).toBe(false)
    expect(looksTheSame('a  b</pre> <pre>c</pre>', 'a b</pre> <pre>c</pre>')).toBe(true)
  })
})
