import { describe, expect, it } from 'vitest'
import { convertMarkdown } from '../../../src/convert/convert.ts'
import { htmlToText } from '../../../src/html/text.ts'
import { cpuSeconds, LINEAR_SECONDS } from '../../support/cpu-time.ts'

const md = (text: string) => convertMarkdown(text, { hasTitle: true })
const shown = (text: string) => htmlToText(md(text).html).text
const named = (text: string) => md(text).losses.map(({ reason, detail }) => `${detail} ${reason}`)

describe('an unclosed tag in prose', () => {
  const names = `object template svg applet canvas iframe noembed noframes noscript option link plaintext script
    select style textarea title xmp`

  it.each(names.split(/\s+/))('is text: <%s>', (name) => {
    const text = `An Array.<${name}> and more.\n\n- of an item <${name}> too\n\nThe end.`
    expect(shown(text)).toBe(`An Array.<${name}> and more. of an item <${name}> too The end.`)
    expect(named(text)).toEqual([`<${name}> kept as text`])
  })

  it.each([
    ['as components are written', 'Array.<Object>, Promise<String> and Map<K, V>.'],
    ['with attributes', 'see <svg width="1"> here'],
    ['of formatting', 'a List<s> and a Map<b> here'],
    ['in a heading', 'Of <object>'],
  ])('is text %s', (_, text) => {
    expect(shown(`${text}\n\nThe end.`)).toBe(`${text.replace('# ', '')} The end.`)
  })

  it('is text after a closed one', () => {
    expect(shown('a <title>x</title> b <title> c')).toBe('a b <title> c')
  })

  it('is text at the start of a line, and hides nothing after it', () => {
    expect(shown('<title> is an element.\n\nThe *end*.')).toBe('<title> is an element. The end.')
    expect(shown('<textarea> is one.\n\n<style> too.\n\nThe end.')).toContain('The end.')
    expect(shown('<pre>\nArray.<Object>\n</pre>\n\nThe end.')).toBe('Array.<Object> The end.')
  })

  it('is text in a table', () => {
    expect(md('| a |\n|---|\n| Array<object> |').html).toContain('<td>Array&lt;object></td>')
  })

  it('can be closed by a slash, as in JSX', () => {
    expect(shown('<iframe src="https://a.example/b" />\n\nThe end, <object data="x"/> of it.')).toBe(
      'The end, of it.',
    )
  })

  it('is ignored in a comment', () => {
    expect(md('a <!-- <title> --> b\n\n<!-- <object>\n\n<T> -->\n\nc').html).toBe('<p>a  b</p>\n\n<p>c</p>')
    expect(named('a <!-- <title> --> b')).toEqual([])
  })

  it('is an element if HTML closes it automatically, or if it has attributes and hides nothing', () => {
    expect(md('a<br>b<hr>c <wbr>').html).toContain('a<br>b')
    expect(md('<a name="x">here').html).toBe('<p><a name="x">here</a></p>')
    expect(md('<p>one\n<p>two').html).toBe('<p>one\n</p><p>two</p>')
  })

  it('may be closed in another paragraph, if it hides nothing', () => {
    expect(md('a <b>b\n\nc</b> d').html).toBe('<p>a <b>b</b></p><b>\n</b><p><b>c</b> d</p>')
    expect(named('a <b>b\n\nc</b> d')).toEqual([])
    expect(shown('a <object>b\n\nc</object> d')).toBe('a <object>b c d')
  })
})

describe('an unknown tag in prose', () => {
  it.each(['<T>', '<your-name>', '</T>', '<my-part a="b" />', '<Link to="/x">'])('is text: %s', (tag) => {
    expect(shown(`a ${tag} b`)).toBe(`a ${tag} b`)
    expect(named(`a ${tag} b`)).toEqual([`<${/[\w.-]+/.exec(tag)}> kept as text`])
  })

  it('is a component when it is alone on its line: left out, and its text is kept', () => {
    expect(md('<AlertBox>\n\nkept\n\n</AlertBox>').html).toBe('<p>kept</p>')
    expect(named('<AlertBox>\n\nkept\n\n</AlertBox>')).toEqual(['<AlertBox> left out, but its text is kept'])
  })
})

it('a closed unknown element is left out with its content, and named', () => {
  expect(shown('a <script>b</script> c')).toBe('a c')
  expect(named('a <script>b</script> c')).toEqual(['<script> left out'])
  expect(shown('<svg>\n\n<title>b</title>\n\n</svg>\n\nc')).toBe('c')
})

it.each(['<title>', '<object>', '<T>', '<title>\n\n', 'a <title ', '<!-- <b'])(
  'reads thousands of unclosed %j in linear time',
  (tag) => {
    expect(cpuSeconds(() => md(tag.repeat(2_500)))).toBeLessThan(LINEAR_SECONDS)
  },
)
