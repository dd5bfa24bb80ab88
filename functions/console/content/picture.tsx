/** The image of a post. The policy of a page that shows one allows images of any https host. */
export type PostImage = { url: string; alt?: string | null }

type PictureProps = {
  image: PostImage
  /** Resolves a relative address. */
  base: string
  /** A square in front of the title, which says enough for a screen reader. */
  isThumbnail?: boolean
}

/** Null if it cannot be shown. */
export function sourceOf(url: string | null, base: string): string | null {
  const src = url ? URL.parse(url, base) : null
  return src?.protocol === 'https:' ? src.href : null
}

export function Picture({ image: { url, alt }, base, isThumbnail = false }: PictureProps) {
  const src = sourceOf(url, base)
  // Keeps the titles of a list aligned.
  if (src === null) return isThumbnail ? <span class="thumbnail" /> : null
  return (
    <img
      class={isThumbnail ? 'thumbnail' : 'picture'}
      src={src}
      alt={isThumbnail ? '' : (alt ?? '')}
      loading="lazy"
      referrerpolicy="no-referrer"
    />
  )
}
