import type { Child } from 'hono/jsx'

type TileProps = {
  title: string
  /** The number, usually a link to the page that has more. */
  figure: Child
  isBad?: boolean
  children?: Child
}

/** A number with its name, and a picture or text below. */
export function Tile({ title, figure, isBad = false, children }: TileProps) {
  return (
    <section class="tile box">
      <h2 class="hint">{title}</h2>
      <p class="figure">
        <strong class={isBad ? 'bad' : undefined}>{figure}</strong>
      </p>
      <div class="muted">{children}</div>
    </section>
  )
}
