import { describe, expect, it } from 'vitest'
import { htmlProblems } from '../../../src/html/problems.ts'

const problemsOf = (html: string) => htmlProblems(html).map(({ line, message }) => `${line}: ${message}`)

describe('problems of HTML', () => {
  it.each([
    ['<p>One\n<b>two\n</p>', ['2: <b> is not closed']],
    ['<div>\n<p>x</p>\n', ['1: <div> is not closed']],
    ['<p>x</p>\n</em>', ['2: </em> closes nothing']],
    ['<p><div>x</div></p>', ['1: </p> closes nothing']],
    ['<p>x</br>', ['1: </br> is invalid: <br> has no end tag']],
    ['\n\n<a href="x>text</a>\n<p class="y">z</p>', ['3: a quote or a “>” is missing in <a>']],
    ['<p>x</p>\n<a href="y', ['2: <a has no “>”']],
    ['<b><i>x</b></i>', ['1: <i> is not closed', '1: </i> closes nothing']],
    ['<ul><li><b>one<li>two</ul>', ['1: <b> is not closed']],
    ['<table><tr><td><span>x<td>y</table>', ['1: <span> is not closed']],
    ['<div/>x', ['1: <div> is not closed']],
    ['<script>if (a < b) x("</b>")', ['1: <script> is not closed']],
  ])('of %j are reported with their lines', (html, problems) => {
    expect(problemsOf(html)).toEqual(problems)
  })

  it.each([
    '',
    'Words & &amp; < 3',
    '<p>One<p>Two<br>x<img src=a><hr/>',
    '<ul><li>a<ul><li>b</ul><li>c</ul><dl><dt>a<dd>b<dt>c</dl>',
    '<table><caption>x<thead><tr><th>a<th>b<tbody><tr><td><p>x<td>y</table>',
    '<p>x<h2>y</h2><blockquote><p>z</blockquote>',
    '<svg viewBox="0 0 1 1"><path d="M0 0"/><g><circle r="1"/></g></svg>',
    '<!-- <b> --><textarea><b></textarea><script>"<i>"</script><style>a > b {}</style>',
    '<select><option>a<option>b</select><a title="a > b" data-x=\'"\'>x</a>',
  ])('are none in %j', (html) => {
    expect(problemsOf(html)).toEqual([])
  })

  it('are limited to the first ones', () => {
    const problems = problemsOf(`<i>\n${'</b>\n'.repeat(3_000)}`)
    expect(problems).toHaveLength(20)
    expect([problems[0], problems[1], problems[19]]).toEqual([
      '1: <i> is not closed',
      '2: </b> closes nothing',
      '20: </b> closes nothing',
    ])
  })

  it('are not reported beyond 10,000 open elements', () => {
    expect(problemsOf(`${'<b>\n'.repeat(10_001)}</i>`)).toEqual([
      '10001: <b> is inside 10,000 elements that are not closed',
    ])
  })

  it.each(['<div>', '<b>', '</b>', '<p><b>', '<li>', '<td>', '<p><button>', '<a "'])(
    'of a million times %j are reported in part',
    (part) => {
      expect(problemsOf(part.repeat(1_000_000 / part.length)).length).toBeLessThanOrEqual(20)
    },
  )
})
