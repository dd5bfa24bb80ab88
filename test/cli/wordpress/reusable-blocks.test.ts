import { describe, expect, it } from 'vitest'
import { item, type Read, readItems, told } from './support/wxr.ts'

const only = ({ found }: Read) => found[0]!.article

describe('reusable blocks', () => {
  const block = (id: number, fields: Record<string, string>) =>
    item({ 'wp:post_type': 'wp_block', 'wp:post_id': id, ...fields })

  it('of the file are inlined, except for private ones; unused ones are named', async () => {
    const refs = [1, 2, 3, 4, 9].map((ref) => `<!-- wp:block {"ref":${ref}} /-->`)
    const read = await readItems([
      item({
        title: 'P',
        'content:encoded': `<!-- wp:paragraph --><p>a</p><!-- /wp:paragraph -->${refs.join('')}`,
      }),
      block(1, { 'content:encoded': '<p>Hours</p>' }),
      block(2, { 'content:encoded': '<p>4711</p>', 'wp:post_password': 'x' }),
      block(3, { 'content:encoded': '<p>soon</p>', 'wp:status': 'draft' }),
      block(4, { 'content:encoded': '<p>gone</p>', 'wp:status': 'trash' }),
      block(5, { title: 'Spare', 'content:encoded': '<p>spare</p>' }),
    ])
    expect(only(read).contentHtml).toBe('<p>a</p><p>Hours</p>')
    expect(read.losses.map((loss) => `${loss.file}: ${told(loss)}`)).toEqual([
      ...[2, 3, 4].map(
        (ref) =>
          `item 1 (P): a reusable block that is a draft, private or has a password is left out: ${ref}`,
      ),
      'item 1 (P): a reusable block that is not in this import is left out: 9',
      'item 6 (Spare): a reusable block that no article uses',
    ])
    expect(read.source.total).toBe(1)
  })
})
