/** The displayed size of an image file. */
import { imageSizeFromFile } from 'image-size/fromFile'

export type Size = { width: number; height: number }

const FORMATS = ['png', 'gif', 'webp', 'jpg', 'avif']
/** Exif's orientations from here on are rotated by 90°. */
const FIRST_ROTATED = 5

/** Null for other formats and broken files. Throws if the file cannot be read. */
export async function readImageSize(path: string): Promise<Size | null> {
  const found = await imageSizeFromFile(path).catch((error) => {
    if (error.code) throw error
    return null
  })
  if (!found || !FORMATS.includes(found.type ?? '') || !(found.width > 0 && found.height > 0)) return null
  const { width, height, orientation = 1 } = found
  return orientation >= FIRST_ROTATED ? { width: height, height: width } : { width, height }
}
