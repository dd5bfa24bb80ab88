import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readImageSize } from '../../../src/cli/import/image-size.ts'
import { folderOf } from '../support/admin.ts'
import { gif, jpeg, png, webp } from '../support/pictures.ts'

async function sizeOf(content: Uint8Array) {
  await using folder = await folderOf({ image: content })
  // Awaited here, before the folder is deleted.
  return await readImageSize(join(folder.path, 'image'))
}

describe("an image's size", () => {
  it.each([
    ['PNG', png(300, 200)],
    ['GIF', gif(300, 200)],
    ['JPEG', jpeg(300, 200)],
    ['a rotated JPEG', jpeg(200, 300, 6)],
    ['a rotated JPEG, written by another camera', jpeg(200, 300, 8, 'MM')],
    ['a mirrored JPEG', jpeg(300, 200, 2)],
    ['WebP', webp('VP8 ', 300, 200)],
    ['lossless WebP', webp('VP8L', 300, 200)],
    ['extended WebP', webp('VP8X', 300, 200)],
  ])('matches a browser: %s', async (_, content) => {
    expect(await sizeOf(content)).toEqual({ width: 300, height: 200 })
  })

  it.each([
    ['text', Buffer.from('<svg width="3" height="4"></svg>')],
    ['nothing', Buffer.alloc(0)],
    ['a truncated JPEG', jpeg(300, 200).subarray(0, 100)],
    ['a PNG without pixels', png(0, 200)],
    ['a JPEG of empty segments', Buffer.alloc(5_000, Buffer.from([0xff, 0xe0, 0, 2]))],
  ])('is not guessed: %s', async (_, content) => {
    expect(await sizeOf(content)).toBeNull()
  })

  it.each([
    ['PNG', png(300, 200), { width: 300, height: 200 }],
    ['WebP', webp('VP8X', 300, 200, 2 ** 32 - 9), { width: 300, height: 200 }],
    ['JPEG', jpeg(300, 200).subarray(0, 100), null],
  ])('is read only from the start of a large file: %s', async (_, content, size) => {
    await using folder = await folderOf({ image: content })
    const path = join(folder.path, 'image')
    await truncate(path, 2 ** 36)
    expect(await readImageSize(path)).toEqual(size)
  })
})
