import type { Child } from 'hono/jsx'

type TileProps = {
  title: string
  /** The number, usually a link to the page that has more. */
  figure: Child
  children?: Child
}

/** A number with its name, and a picture or text below. */
export function Tile({ title, figure, children }: TileProps) {
  return (
    <section class="tile">
      <h2>{title}</h2>
      <p class="figure">
        <strong>{figure}</strong>
      </p>
      <div class="muted">{children}</div>
    </section>
  )
}
