/** Actions that are needed less often, in a menu at the end of a heading. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import { Icon } from './icon.tsx'
import { RequireRole } from './require-role.tsx'

export function MoreMenu({ needs = 'viewer', children }: { needs?: Role; children: Child }) {
  return (
    <RequireRole needs={needs}>
      <details class="menu more">
        <summary class="button">
          <Icon name="more" />
          <span class="visually-hidden">More</span>
        </summary>
        <div class="menu-panel items plain">{children}</div>
      </details>
    </RequireRole>
  )
}
