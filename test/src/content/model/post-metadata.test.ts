import { describe, expect, it } from 'vitest'
import { METADATA_INPUTS } from '../../../../src/content/model/post-metadata.ts'

describe('the URL of an image', () => {
  it.each([
    ['HTTP://A.Example/B.png', 'http://a.example/B.png'],
    ['HtTpS:\\\\a.example\\b c.png', 'https://a.example/b%20c.png'],
    ['ht\ntp://a.example:80/b.png\t', 'http://a.example/b.png'],
    [' http://2130706433/b.png', 'http://127.0.0.1/b.png'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
    ['https://a.example/b.png', 'https://a.example/b.png'],
    ['/b c.png', '/b c.png'],
    ['//a.example/b.png', '//a.example/b.png'],
  ])('%j is stored as %j', (url, stored) => {
    expect(METADATA_INPUTS.image.parse({ url })).toEqual({ url: stored })
  })

  it.each(['ftp://a.example/b.png', 'java\tscript:alert(1)', 'data:image/png,x', ''])(
    '%j is refused',
    (url) => {
      expect(METADATA_INPUTS.image.safeParse({ url }).success).toBe(false)
    },
  )
})
