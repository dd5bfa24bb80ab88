import { describe, expect, it } from 'vitest'
import { isExcerptOf } from '../../../src/cli/wordpress/excerpt.ts'

const BODY = `<p>Before the <b>address</b>.</p>
<h2>Where we are</h2>
<figure><img src="/a.png"><figcaption>The quay</figcaption></figure>
<ul><li>one</li><li>two</li></ul>
<p>After it.</p>`

describe('an excerpt of the REST API', () => {
  it.each([
    '<p>Before the address. Where we are […]</p>',
    '<p>Before the address.</p>',
    '<p>Before the address. Where we are one two After it.</p>',
    '<p>Before the address. After it.</p>',
    '<p>Before the address. Where we are The quay one two After it.</p>',
  ])('%s is derived from the body', (excerpt) => {
    expect(isExcerptOf(excerpt, BODY)).toBe(true)
  })

  it.each([
    '<p>How to find us.</p>',
    '<p>Before the address. And after it.</p>',
    '<p>After it.</p>',
    '<p>one</p>',
    '<p>Where we are</p>',
  ])('%s is the author’s', (excerpt) => {
    expect(isExcerptOf(excerpt, BODY)).toBe(false)
  })
})
