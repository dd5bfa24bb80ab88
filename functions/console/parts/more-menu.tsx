/** Actions that are needed less often, in a menu at the end of a heading. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import { RequireRole } from './require-role.tsx'

export function MoreMenu({ needs, children }: { needs: Role; children: Child }) {
  return (
    <RequireRole needs={needs}>
      <details class="menu more">
        <summary class="button">More</summary>
        <div class="menu-panel plain">{children}</div>
      </details>
    </RequireRole>
  )
}
